import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from extensions.process.child import running_child
from extensions.process.limits import ProcessLimits

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
SLEEP = "import time; print('up', flush=True); time.sleep(60)"


async def becomes_true(condition: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - no event comes from another process
            await asyncio.sleep(0.01)


def is_gone(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return text.rpartition(")")[2].split()[0] in "ZX"


async def first_line(child: asyncio.subprocess.Process) -> str:
    assert child.stdout is not None
    return (await child.stdout.readline()).decode().strip()


@asynccontextmanager
async def python(
    tmp_path: Path, code: str, grace_seconds: float = 0.05, limits: ProcessLimits | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    command = [sys.executable, "-c", code]
    async with (
        asyncio.timeout(20),
        running_child(
            command, cwd=tmp_path, env={}, grace_seconds=grace_seconds, limits=limits
        ) as child,
    ):
        yield child


async def test_a_child_that_ignores_its_stdin_is_asked_to_terminate(tmp_path: Path) -> None:
    async with python(tmp_path, SLEEP) as child:
        assert await first_line(child) == "up"

    assert await child.wait() == -signal.SIGTERM


async def test_a_child_that_ignores_that_too_is_killed(tmp_path: Path) -> None:
    async with python(tmp_path, DEAF + SLEEP) as child:
        assert await first_line(child) == "up"

    assert await child.wait() == -signal.SIGKILL


async def test_a_child_that_ends_with_its_stdin_is_left_to_do_so(tmp_path: Path) -> None:
    async with python(tmp_path, "import sys; sys.stdin.read(); sys.exit(7)", 10) as child:
        pass

    assert await child.wait() == 7


async def test_a_child_is_stopped_even_when_its_user_is_cancelled_twice(tmp_path: Path) -> None:
    children: list[asyncio.subprocess.Process] = []
    up = asyncio.Event()

    async def use() -> None:
        async with python(tmp_path, DEAF + SLEEP) as child:
            await first_line(child)
            children.append(child)
            up.set()
            await asyncio.Event().wait()

    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        user = tasks.create_task(use())
        await up.wait()
        user.cancel()
        await asyncio.sleep(0)
        user.cancel()

    assert await children[0].wait() == -signal.SIGKILL


async def test_what_the_child_left_in_its_group_is_killed_with_it(tmp_path: Path) -> None:
    code = "import subprocess; print(subprocess.Popen(['sleep', '60']).pid, flush=True)"

    async with running_child(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PATH": os.environ["PATH"]}
    ) as child:
        grandchild = int(await first_line(child))

    await becomes_true(lambda: is_gone(grandchild))


async def test_a_child_gets_the_given_environment_and_no_more(tmp_path: Path) -> None:
    command = ["/usr/bin/env"]

    async with running_child(command, cwd=tmp_path, env={"ONE": "1"}) as child:
        assert child.stdout is not None
        assert await child.stdout.read() == b"ONE=1\n"


async def test_a_program_that_is_not_there_raises_as_the_system_says(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no-such-program"):
        async with running_child([str(tmp_path / "no-such-program")], cwd=tmp_path, env={}):
            pass


async def test_a_file_that_is_no_program_raises_as_the_system_says(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("words")

    with pytest.raises(PermissionError, match="text"):
        async with running_child([str(tmp_path / "text")], cwd=tmp_path, env={}):
            pass


async def test_a_child_stays_within_its_limits(tmp_path: Path) -> None:
    code = (
        "import resource as r; "
        "print(*(r.getrlimit(k)[1] for k in (r.RLIMIT_NOFILE, r.RLIMIT_CORE, r.RLIMIT_FSIZE)))"
    )
    limits = ProcessLimits(open_files=99, file_bytes=1000)

    async with python(tmp_path, code, limits=limits) as child:
        assert await first_line(child) == "99 0 1000"


async def test_a_child_reads_what_it_is_given_from_open_descriptors_and_has_no_others(
    tmp_path: Path,
) -> None:
    code = (
        "import os; print(os.read(100, 99), os.read(101, 99));"
        "print(sorted(int(fd) for fd in os.listdir('/proc/self/fd')))"
    )
    # Some of its own have the numbers that the child's shall have.
    taken = [os.dup(0) for _ in range(150)]
    try:
        async with running_child(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={},
            descriptors={100: b"one", 101: b"two"},
        ) as child:
            assert await first_line(child) == "b'one' b'two'"
            # The last one is what lists them.
            assert await first_line(child) == "[0, 1, 2, 3, 100, 101]"
    finally:
        for fd in taken:
            os.close(fd)


async def test_a_child_dies_when_the_process_that_started_it_is_killed(tmp_path: Path) -> None:
    code = f"""
import asyncio, pathlib, sys
sys.path.insert(0, {str(Path.cwd())!r})
from extensions.process.child import running_child
async def main():
    async with running_child(["sleep", "60"], cwd=pathlib.Path("."), env={{}}) as child:
        print(child.pid, flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""
    async with running_child(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PATH": os.environ["PATH"]}
    ) as parent:
        sleeper = int(await first_line(parent))
        assert not is_gone(sleeper)
        parent.kill()

        await becomes_true(lambda: is_gone(sleeper))
