import os
import secrets
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from extensions.process.child import running_child
from extensions.process.families import MARK_NAME, descendants, family_size, kill_marked
from tests.fakes.peer_owner import is_gone
from tests.fakes.waiting import until

PARENT = """
import os, subprocess, sys
pids = [subprocess.Popen(["/bin/sleep", "60"], start_new_session=n == 0).pid for n in range(3)]
print(*pids, flush=True)
sys.stdin.read()
"""


@asynccontextmanager
async def family(mark: str) -> AsyncGenerator[tuple[int, list[int]]]:
    """Yield a process and the three that it started; the first has left the group."""
    async with running_child(
        [sys.executable, "-ISEc", PARENT], cwd=Path("/"), env={MARK_NAME: mark}
    ) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in (await parent.stdout.readline()).split()]
        try:
            yield parent.pid, pids
        finally:
            for pid in pids:
                if not is_gone(pid):
                    os.kill(pid, signal.SIGKILL)


async def test_a_family_is_found_and_measured() -> None:
    async with family("a") as (parent, pids):
        assert sorted(descendants(parent, limit=100)) == sorted([parent, *pids])
        assert len(descendants(parent, limit=2)) == 2
        size = family_size(parent, limit=100)

    assert size.processes == 4
    assert 1_000_000 < size.memory_bytes < 200_000_000


async def test_only_those_that_bear_the_mark_are_killed() -> None:
    mark = secrets.token_hex()
    async with family(mark) as (parent, pids), family(mark + "x") as (_, others):
        os.kill(parent, signal.SIGKILL)
        await until(lambda: is_gone(parent))

        assert kill_marked(mark, since_pid=parent) >= 3
        await until(lambda: all(map(is_gone, pids)))
        assert not any(map(is_gone, others))


def test_a_process_that_is_gone_has_no_family() -> None:
    size = family_size(2**22 - 1, limit=10)

    assert (size.processes, size.memory_bytes) == (1, 0)
    assert kill_marked("nobody", since_pid=1) == 0
