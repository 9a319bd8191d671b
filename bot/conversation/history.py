"""The interface to what stands in a channel already."""

from typing import Protocol

from bot.conversation.incoming import IncomingMessage


class History(Protocol):
    """Reads what people wrote."""

    async def since(self, channel_id: int, message_id: int) -> list[IncomingMessage]:
        """Return what was written in a channel after that message, oldest first.

        Of much that was written, the newest hundred; without what the bot replied to, or put a
        mark under, already.

        Raises:
            MessengerError: If it cannot be read.
        """
        ...
