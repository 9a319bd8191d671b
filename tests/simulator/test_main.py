import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def started(*arguments: str) -> AsyncGenerator[Process, None]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "simulator", *arguments, cwd=ROOT, stdin=PIPE, stdout=PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def lines_up_to(process: Process, last: str) -> list[str]:
    assert process.stdout is not None
    lines: list[str] = []
    while not lines or not lines[-1].startswith(last):
        line = await process.stdout.readline()
        assert line, f"it ended without saying {last!r}: {lines}"
        lines.append(line.decode().rstrip())
    return lines


def is_there(path: str) -> bool:
    return Path(path).exists()


async def test_it_serves_both_services_shows_what_is_said_and_ends_at_ctrl_c() -> None:
    async with asyncio.timeout(30), started("--owner", "Bob") as process:
        printed = await lines_up_to(process, "export ANTHROPIC_API_KEY=")
        exports = (line.removeprefix("export ") for line in printed if line.startswith("export "))
        settings = dict(export.split("=", maxsplit=1) for export in exports)
        async with aiohttp.ClientSession() as client:
            url = f"{settings['PAPERCUP_ENDPOINTS__MESSAGES_API']}/v1/models"
            async with client.get(url) as response:
                assert response.status == 200
            (plain,) = (line for line in printed if "without TLS" in line)
            headers = {"authorization": f"Bot {settings['DISCORD_TOKEN']}"}
            url = f"{plain.split()[-1]}/users/@me"
            async with client.get(url, headers=headers) as response:
                assert response.status == 200
        assert process.stdin is not None
        process.stdin.write(b"hello\n")
        (said,) = await lines_up_to(process, "Bob: ")
        assert said.endswith("hello")
        process.stdin.write(b">\n/pickup name:today\n> hello\n")
        assert await lines_up_to(process, "(Bob speaks)") == [
            "(Bob is in Lounge)",
            "(no command /pickup; there are none)",
            "(Bob speaks)",
        ]
        os.kill(process.pid, signal.SIGINT)

        assert await process.wait() == 0
    assert not is_there(settings["PAPERCUP_ENDPOINTS__DISCORD_CA"])


async def test_it_explains_itself() -> None:
    async with asyncio.timeout(30), started("--help") as process:
        printed, _ = await process.communicate()

    assert process.returncode == 0
    assert b"--api-port" in printed
