"""Lines of the bot in a process of their own: `python -m tests.soak.voice.line_process SPEC`.

What happens on them is told on standard output; each line on standard input asks for a look.
"""

import asyncio
import gc
import logging
import os
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import uvloop

from bot.config import Config, SpeechConfig
from bot.voice_engines import voice_engines
from tests.soak.voice.line import Line, running_line
from tests.soak.voice.told import Look, Ready, Spec, Told, spec_of, text_of

_STATM = Path("/proc/self/statm")
_FILES = Path("/proc/self/fd")


def main() -> None:
    """Read what is wanted, and run it until the process is killed."""
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    spec = spec_of(Path(sys.argv[1]).read_bytes())
    # As `papercup run` does.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(spec))


async def _serve(spec: Spec) -> None:
    # The offline voice: no other can be reached.
    config = Config(data_dir=Path(spec.folder), speech=SpeechConfig(engine="hibari"))
    async with voice_engines(config) as engines, AsyncExitStack() as stack:
        lines = [
            await stack.enter_async_context(
                running_line(number, line, engines, spec.replies, _tell)
            )
            for number, line in enumerate(spec.lines)
        ]
        _tell(Ready())
        while await asyncio.to_thread(sys.stdin.readline):
            _tell(_look(lines))


def _look(lines: Sequence[Line]) -> Look:
    # What waits to be collected is no growth.
    gc.collect()
    return Look(
        at=time.monotonic(),
        rss_bytes=int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGESIZE"),
        tasks=len(asyncio.all_tasks()),
        threads=threading.active_count(),
        files=len(list(_FILES.iterdir())),
        cpu_seconds=time.process_time(),
        lines=[line.look() for line in lines],
    )


def _tell(told: Told) -> None:
    sys.stdout.write(text_of(told) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
