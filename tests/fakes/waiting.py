"""Waits for what another task or process brings about."""

import asyncio
from collections.abc import Awaitable, Callable


async def until(
    is_so: Callable[[], bool | Awaitable[bool]], *, timeout_seconds: float = 10
) -> None:
    """Wait until `is_so()` holds; raises TimeoutError if it never does."""
    async with asyncio.timeout(timeout_seconds):
        while True:
            holds = is_so()
            if holds if isinstance(holds, bool) else await holds:
                return
            await asyncio.sleep(0.01)
