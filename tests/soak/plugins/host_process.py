"""A host that is ended from outside: `python -m tests.soak.plugins.host_process FOLDER WHAT...`.

WHAT is wrong with its plugins, beside one that hangs. It keeps 100 calls open, tells the processes
of its plugins as a line of JSON, and in the end how the calls ended.
"""

import asyncio
import json
import signal
import sys
from collections import Counter
from pathlib import Path

import uvloop

from tests.fakes.faulty_plugins import faulty, outcome, use
from tests.soak.plugins.meters import seconds_until
from tests.soak.plugins.scene import NEIGHBOUR, Scene

_CALLS = 100
_OPEN_SECONDS = 20.0


def main() -> None:
    """Run until SIGTERM."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(Path(sys.argv[1]), sys.argv[2:]))


async def _serve(folder: Path, kinds: list[str]) -> None:
    scene, ended = Scene(folder), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    plugins = [faulty("mad"), *(faulty(kind, kind) for kind in kinds)]
    async with asyncio.TaskGroup() as tasks, scene.host(*plugins) as host:
        mad, last = host.find_program("mad"), host.running()[-1]
        family = json.loads(await use(last, "family"))
        calls = [tasks.create_task(outcome(mad, "hang")) for _ in range(_CALLS)]
        is_open = await seconds_until(
            lambda: mad.calls.open.count == _CALLS, timeout_seconds=_OPEN_SECONDS
        )
        assert is_open < _OPEN_SECONDS
        pids = {plugin.id: plugin.pid for plugin in host.running()}
        assert NEIGHBOUR in pids
        _tell({"plugins": pids, "family": family})
        await ended.wait()
    _tell(Counter(call.result() for call in calls))


def _tell(what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
