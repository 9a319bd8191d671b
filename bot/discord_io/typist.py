"""Shows in which channels the bot is typing."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager

_EVERY_SECONDS = 8.0
"""Discord shows it for ten seconds."""


class Typist:
    """Keeps the typing sign alive, one for each channel however many ask for it."""

    def __init__(self, *, every_seconds: float = _EVERY_SECONDS) -> None:
        self._every_seconds = every_seconds
        self._shown: Counter[int] = Counter()
        self._changed = asyncio.Event()

    @contextmanager
    def showing(self, channel_id: int) -> Generator[None]:
        """Show it while the block lasts; the block does not wait for it."""
        self._shown[channel_id] += 1
        self._changed.set()
        try:
            yield
        finally:
            self._shown[channel_id] -= 1
            if not self._shown[channel_id]:
                del self._shown[channel_id]

    async def run(self, send: Callable[[int], Awaitable[None]]) -> None:
        """Send the signs until cancelled.

        Args:
            send: Shows it in a channel for some seconds; raises nothing.
        """
        due: dict[int, float] = {}
        while True:
            self._changed.clear()
            now = asyncio.get_running_loop().time()
            due = {channel_id: due.get(channel_id, now) for channel_id in self._shown}
            for channel_id in [channel_id for channel_id, at in due.items() if at <= now]:
                await send(channel_id)
                due[channel_id] = now + self._every_seconds
            await self._wait(min(due.values(), default=None))

    async def _wait(self, until: float | None) -> None:
        """Wait until a channel is due, or one is added."""
        try:
            async with asyncio.timeout_at(until):
                await self._changed.wait()
        except TimeoutError:
            return
