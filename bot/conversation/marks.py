"""The bot's reactions under the messages of a channel: which wait, which were answered too."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from bot.conversation.turn import Turn
from bot.messenger import MessageRef, Messenger, MessengerError

logger = logging.getLogger(__name__)

QUEUED = "👀"
"""Put under a message that waits to be answered."""
ANSWERED_TOGETHER = "✅"
"""Put under the messages that are answered in reply to a later one."""

_DISCORDS_EPOCH_SECONDS = 1_420_070_400
_BITS_BELOW_THE_TIME = 22


class Marks:
    """Puts reactions under messages, and takes them back; what fails is only logged."""

    def __init__(self, messenger: Messenger, *, since: float) -> None:
        """Begin at a Unix time, in seconds; what was written earlier may be marked already."""
        self._messenger = messenger
        self._since = since
        self._queued: set[MessageRef] = set()
        # So that a mark that is on its way has arrived before it is taken back.
        self._one_by_one = asyncio.Lock()

    async def mark_queued(self, ref: MessageRef) -> None:
        """Mark a message as one that waits."""
        self._queued.add(ref)
        async with self._one_by_one:
            if ref in self._queued:
                await _try(ref, self._messenger.react, QUEUED)

    async def unmark(self, ref: MessageRef) -> None:
        """Take that mark back."""
        self._queued.discard(ref)
        async with self._one_by_one:
            await _try(ref, self._messenger.take_reaction_back, QUEUED)

    async def take_back(self, turn: Turn) -> None:
        """Take that mark back from the messages of a turn that have it, or may have it."""
        for ref in (*turn.joined, turn.asked_in):
            if ref in self._queued or _written_at(ref) < self._since:
                await self.unmark(ref)

    async def answered_together(self, turn: Turn) -> None:
        """Mark those that were answered in reply to the last message of the turn."""
        for ref in turn.joined:
            await _try(ref, self._messenger.react, ANSWERED_TOGETHER)


async def _try(
    ref: MessageRef, react: Callable[[MessageRef, str], Awaitable[None]], emoji: str
) -> None:
    try:
        await react(ref, emoji)
    except MessengerError as error:
        logger.warning("channel %d: %s", ref.channel_id, error)


def _written_at(ref: MessageRef) -> float:
    """Return when a message was written, which its id tells, in seconds of Unix time."""
    return (ref.message_id >> _BITS_BELOW_THE_TIME) / 1000 + _DISCORDS_EPOCH_SECONDS
