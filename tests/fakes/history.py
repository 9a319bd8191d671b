"""What stands in channels, as a test writes it."""

from bot.conversation.incoming import IncomingMessage
from bot.messenger import MessengerError


class FakeHistory:
    """Implements `History`."""

    def __init__(self) -> None:
        self.messages: list[IncomingMessage] = []
        """In all channels, oldest first."""
        self.asked: list[tuple[int, int]] = []
        """In which channel, and after which message."""
        self.failures = 0
        """How many of the next calls fail."""

    async def since(self, channel_id: int, message_id: int) -> list[IncomingMessage]:
        self.asked.append((channel_id, message_id))
        if self.failures:
            self.failures -= 1
            raise MessengerError("503")
        return [
            message
            for message in self.messages
            if message.ref.channel_id == channel_id and message.ref.message_id > message_id
        ]
