import asyncio
from asyncio.subprocess import PIPE
from pathlib import Path

from benchmarks.text.stand_in import stand_in
from extensions.claude.events import AssistantMessage
from extensions.claude.stream import parse_line


async def _first_line(program: Path, *arguments: str) -> bytes:
    process = await asyncio.create_subprocess_exec(program, *arguments, stdout=PIPE)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(10):
            return await process.stdout.readline()
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_as_a_job_it_says_what_claude_says(tmp_path: Path) -> None:
    program = stand_in(tmp_path, Path("/bin/echo"))

    line = await _first_line(program, "--verbose", "--append-system-prompt-file=brief.md")

    assert isinstance(parse_line(line.rstrip()), AssistantMessage)


async def test_as_anything_else_it_is_claude_itself(tmp_path: Path) -> None:
    program = stand_in(tmp_path, Path("/bin/echo"))

    assert await _first_line(program, "as", "a", "speaker") == b"as a speaker\n"
