"""The stand-in of edge-tts as a program: what it costs is not counted as the bot's.

Run as `python -m benchmarks.voice.edge_service`: it prints its address, and ends with its stdin.
"""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from simulator.edge_tts import running_edge_tts

_SECONDS = 30.0


async def _serve() -> None:
    async with running_edge_tts() as service:
        sys.stdout.write(service.url + "\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


@asynccontextmanager
async def running_edge_service() -> AsyncGenerator[str, None]:
    """Have the service in a process of its own while the block lasts, and give its address."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.voice.edge_service", stdin=PIPE, stdout=PIPE
    )
    try:
        assert process.stdout is not None
        assert process.stdin is not None
        async with asyncio.timeout(_SECONDS):
            url = await process.stdout.readline()
        yield url.decode().strip()
        process.stdin.close()
        async with asyncio.timeout(_SECONDS):
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


if __name__ == "__main__":
    asyncio.run(_serve())
