"""Texts that come in pieces."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

_MOST_PIECES = 10_000
"""How many pieces of an answer may wait to be spoken; the longest answers have some thousands."""


@asynccontextmanager
async def pumped(
    pieces: AsyncGenerator[str, None],
) -> AsyncGenerator[AsyncGenerator[str, None], None]:
    """Take all pieces as they come, so that whoever writes them never waits for the speech."""
    queue: asyncio.Queue[str | None] = asyncio.Queue(_MOST_PIECES)

    async def pump() -> None:
        async for piece in pieces:
            await queue.put(piece)
        await queue.put(None)

    async def written() -> AsyncGenerator[str, None]:
        while (piece := await queue.get()) is not None:
            yield piece

    async with asyncio.TaskGroup() as tasks:
        pumping = tasks.create_task(pump())
        try:
            yield written()
        finally:
            pumping.cancel()


async def with_first(first: str, rest: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    """Yield a piece that was taken already, and then the others."""
    yield first
    async for piece in rest:
        yield piece


async def of_text(text: str) -> AsyncGenerator[str, None]:
    """Yield a text that is whole."""
    yield text
