"""The interface between a conversation and the place in which it is held."""

from collections.abc import AsyncGenerator
from typing import Protocol

from bot.conversation.turn import Turn
from bot.speaker.speaker import SpeakerEvent


class Surface(Protocol):
    """Where a conversation is held."""

    async def show(self, turn: Turn, answer: AsyncGenerator[SpeakerEvent, None]) -> None:
        """Bring the answer to the people of `turn` as it comes; returns when all is shown."""
        ...
