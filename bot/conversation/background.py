"""Work that goes on beside something, and ends with it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

logger = logging.getLogger(__name__)

Work = Callable[[], Awaitable[object]]
"""Not a coroutine: of what is broken off before it has begun, nothing is left then."""


class Background:
    """Does several things at once. Get it from `in_background`."""

    def __init__(self, tasks: asyncio.TaskGroup, name: str) -> None:
        self._tasks = tasks
        self._name = name
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Work) -> None:
        """Do something; if it fails, that is logged, and all else goes on."""
        task = self._tasks.create_task(self._supervised(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def stop(self) -> None:
        """Have all of it end."""
        for task in tuple(self._running):
            task.cancel()

    async def _supervised(self, work: Work) -> None:
        try:
            await work()
        except Exception:
            logger.exception("%s: something broke", self._name)


@asynccontextmanager
async def in_background(name: str) -> AsyncGenerator[Background, None]:
    """Let things be done while the block lasts; what is not done by its end is broken off.

    Args:
        name: How the log calls what it is done for.
    """
    async with asyncio.TaskGroup() as tasks:
        background = Background(tasks, name)
        try:
            yield background
        finally:
            background.stop()
