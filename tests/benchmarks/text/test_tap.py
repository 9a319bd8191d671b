import asyncio
import sys
import time
from asyncio.subprocess import PIPE
from pathlib import Path

from benchmarks.text import tap
from extensions.claude.stream import initialize, user_message

LINES = [initialize("r1"), user_message("Hello.", uuid="u1"), user_message("Again.", uuid="u2")]


async def test_a_message_is_noted_and_everything_is_passed_on(tmp_path: Path) -> None:
    log = tmp_path / "told.log"
    async with asyncio.timeout(10):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-IS", tap.__file__, str(log), "/bin/cat", stdin=PIPE, stdout=PIPE
        )
        assert process.stdin is not None
        assert process.stdout is not None
        before = time.monotonic()
        for line in LINES:
            process.stdin.write(line)
            assert await process.stdout.readline() == line
        process.stdin.close()
        assert await process.stdout.read() == b""
        assert await process.wait() == 0

    noted = [float(line) for line in log.read_text().splitlines()]
    assert len(noted) == 2
    assert before <= noted[0] <= noted[1]


async def test_its_output_ends_with_the_program_though_nobody_closes_its_input(
    tmp_path: Path,
) -> None:
    async with asyncio.timeout(10):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-IS",
            tap.__file__,
            str(tmp_path / "told.log"),
            "/bin/echo",
            "done",
            stdin=PIPE,
            stdout=PIPE,
        )
        assert process.stdout is not None
        assert await process.stdout.read() == b"done\n"
        assert process.stdin is not None
        process.stdin.close()
        assert await process.wait() == 0
