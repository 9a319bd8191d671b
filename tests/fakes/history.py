"""What stands in channels, as a test writes it."""

from collections.abc import Callable

from bot.access import Place
from bot.conversation.incoming import IncomingMessage
from bot.messenger import MessageRef, MessengerError


class FakeHistory:
    """Implements `History`."""

    def __init__(self) -> None:
        self.messages: list[IncomingMessage] = []
        """In all channels, oldest first."""
        self.gone: set[MessageRef] = set()
        """What was deleted; of what is neither here nor in `messages`, nothing can be read."""
        self.asked: list[tuple[int, int]] = []
        """In which channel, and after which message."""
        self.failures = 0
        """How many of the next channels cannot be read."""
        self.failure = MessengerError("503")
        self.channel_failures = 0
        """How many of the next questions for channels fail."""

    async def channels_since(self, message_id: int) -> list[Place]:
        if self.channel_failures:
            self.channel_failures -= 1
            raise MessengerError("there is no connection to it")
        news = [message for message in self.messages if message.ref.message_id > message_id]
        news.sort(key=lambda message: message.ref.message_id, reverse=True)
        return list(dict.fromkeys(m.place for m in news if m.place.guild_id is not None))

    async def since(
        self,
        channel_id: int,
        message_id: int,
        *,
        is_wanted: Callable[[IncomingMessage], bool] = lambda _: True,
    ) -> list[IncomingMessage]:
        self.asked.append((channel_id, message_id))
        if self.failures:
            self.failures -= 1
            raise self.failure
        return [
            message
            for message in self.messages
            if message.ref.channel_id == channel_id
            and message.ref.message_id > message_id
            and is_wanted(message)
        ]

    async def message(self, ref: MessageRef) -> IncomingMessage | None:
        if ref in self.gone:
            return None
        for message in self.messages:
            if message.ref == ref:
                return message
        raise MessengerError("503")
