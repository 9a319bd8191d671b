"""Sees to it that no two processes go on with the same Claude session: nothing else would."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from extensions.errors import ClaudeStartError


class SessionLocks:
    """One lock for each Claude session.

    Args:
        patience_seconds: How long to wait for a process that is about to end.
    """

    def __init__(self, *, patience_seconds: float = 15.0) -> None:
        self._patience_seconds = patience_seconds
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def held(self, claude_session_id: str) -> AsyncGenerator[None, None]:
        """Keep every other process from that session while the block lasts.

        Raises:
            ClaudeStartError: If another one is still at it.
        """
        lock = self._locks.setdefault(claude_session_id, asyncio.Lock())
        try:
            async with asyncio.timeout(self._patience_seconds):
                await lock.acquire()
        except TimeoutError:
            raise ClaudeStartError(f"Session ID {claude_session_id} is already in use") from None
        try:
            yield
        finally:
            lock.release()
