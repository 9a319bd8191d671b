"""The interface between a conversation and the place in which it is held."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from bot.speaker.speaker import SpeakerEvent


class AnswerRecord(Protocol):
    """Keeps what a later bot needs to finish the answer, should this one end in the middle."""

    async def shown_in(self, refs: Sequence[MessageRef]) -> None:
        """Take note of the messages in which the answer stands so far."""
        ...

    async def is_whole(self, text: str) -> None:
        """Take note of the whole answer, which is now shown to its end."""
        ...


class Surface(Protocol):
    """Where a conversation is held."""

    async def show(
        self, turn: Turn, answer: AsyncGenerator[SpeakerEvent, None], record: AnswerRecord
    ) -> None:
        """Bring the answer to the people of `turn` as it comes; returns when all is shown.

        While the place cannot be reached it goes on trying; it gives up only if the place does
        not take the answer at all.
        """
        ...
