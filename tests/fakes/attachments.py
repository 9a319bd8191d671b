"""Files that came with messages, as a test has them."""

import asyncio

from bot.conversation.incoming import Attachment
from bot.messenger import MessengerError


def attachment(
    number: int, name: str, size_bytes: int, *, is_voice_message: bool = False
) -> Attachment:
    """Return one; the same number gives the same address."""
    return Attachment(
        id=number,
        name=name,
        size_bytes=size_bytes,
        content_type=None,
        url=f"https://cdn/{number}",
        is_voice_message=is_voice_message,
    )


class FakeAttachments:
    """Implements `AttachmentSource`."""

    def __init__(self) -> None:
        self.contents: dict[int, bytes] = {}
        """By the id of the attachment; what is not here cannot be had."""
        self.read_ids: list[int] = []
        self.stuck: set[int] = set()
        """Of which nothing ever comes."""
        self.seconds = 0.0
        """How long each takes to come."""
        self.at_once = 0
        self.most_at_once = 0

    def add(self, name: str, content: bytes, *, is_voice_message: bool = False) -> Attachment:
        """Keep a file, and return what a message says of it."""
        number = len(self.contents) + 1
        self.contents[number] = content
        return attachment(number, name, len(content), is_voice_message=is_voice_message)

    async def read(self, attachment: Attachment, *, most_bytes: int) -> bytes:
        self.read_ids.append(attachment.id)
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        try:
            if attachment.id in self.stuck:
                await asyncio.Event().wait()
            await asyncio.sleep(self.seconds)
        finally:
            self.at_once -= 1
        content = self.contents.get(attachment.id)
        if content is None or len(content) > most_bytes:
            raise MessengerError("404", is_final=True)
        return content
