"""Keeps marks under the messages that wait, so that whoever wrote them sees that they were taken.

Marks are put one after the other, while the conversation goes on: it never waits for them.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from bot.messenger import MessageRef

logger = logging.getLogger(__name__)


class Marker(Protocol):
    """Puts marks under messages; what fails is logged there."""

    async def mark_queued(self, ref: MessageRef) -> None:
        """Mark a message as one that waits."""
        ...

    async def unmark(self, ref: MessageRef) -> None:
        """Take that mark back."""
        ...


class QueueMarks:
    """Sees to it that those messages are marked that wait, and no others. Run it in a task."""

    def __init__(self, marker: Marker, waits: Callable[[MessageRef], bool]) -> None:
        """Make it.

        Args:
            marker: Puts the marks.
            waits: Says whether a message waits at present.
        """
        self._marker = marker
        self._waits = waits
        self._unsettled: dict[MessageRef, None] = {}
        """The messages to look at, in order; each stands here once."""
        self._marked: set[MessageRef] = set()
        """Those that waited when they were marked."""
        self._came = asyncio.Event()

    def look_at(self, ref: MessageRef) -> None:
        """Have a message marked if it waits by then, and its mark taken back if it does not."""
        self._unsettled[ref] = None
        self._came.set()

    def is_answered(self, ref: MessageRef) -> None:
        """Leave the mark of a message to whoever shows its answer."""
        self._marked.discard(ref)

    async def run(self) -> None:
        """Put marks and take them back, until cancelled."""
        while True:
            while not self._unsettled:
                self._came.clear()
                await self._came.wait()
            ref = next(iter(self._unsettled))
            del self._unsettled[ref]
            try:
                await self._settle(ref)
            except Exception:  # a mark that breaks must not end the answers
                logger.exception("message %d: its mark broke", ref.message_id)

    async def _settle(self, ref: MessageRef) -> None:
        if self._waits(ref):
            self._marked.add(ref)
            await self._marker.mark_queued(ref)
            if self._waits(ref):
                return
            # Its turn came meanwhile, and may even be over.
        elif ref not in self._marked:
            return
        self._marked.discard(ref)
        await self._marker.unmark(ref)
