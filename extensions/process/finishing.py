"""Ends what has to be ended, whoever is cancelled meanwhile."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def finish(cleanup: Coroutine[Any, Any, None]) -> None:
    """Run `cleanup` to its end, even if the caller is cancelled again meanwhile."""
    task = asyncio.get_running_loop().create_task(cleanup)
    interruption: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            interruption = error
    task.result()
    if interruption is not None:
        raise interruption
