"""The interface to what stands in a channel already."""

from collections.abc import Callable
from typing import Protocol

from bot.access import Place
from bot.conversation.incoming import IncomingMessage
from bot.messenger import MessageRef


class History(Protocol):
    """Reads what people wrote."""

    async def channels_since(self, message_id: int) -> list[Place]:
        """Return where something may have been written after that message, the newest first.

        It is asked of what Discord tells at each connection: all channels and active threads of
        servers that the bot may read. Direct messages are not among them.

        Raises:
            MessengerError: If there is no connection.
        """
        ...

    async def since(
        self,
        channel_id: int,
        message_id: int,
        *,
        is_wanted: Callable[[IncomingMessage], bool] = lambda _: True,
    ) -> list[IncomingMessage]:
        """Return what was written in a channel after that message, oldest first.

        Of much that was written, the newest hundred; without what the bot replied to, or marked
        as answered, already.

        Args:
            channel_id: Where.
            message_id: After which message.
            is_wanted: Says so of each; the roles of its author are only looked up afterwards.

        Raises:
            MessengerError: If it cannot be read.
        """
        ...

    async def message(self, ref: MessageRef) -> IncomingMessage | None:
        """Return a message as it reads now; `None` if it is gone.

        Raises:
            MessengerError: If it cannot be read.
        """
        ...
