"""The interface between a conversation and the place in which it is held."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from bot.conversation.session import Streaming
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
        self,
        turn: Turn,
        answer: AsyncGenerator[SpeakerEvent, None],
        record: AnswerRecord,
        *,
        streaming: Streaming,
    ) -> None:
        """Bring the answer to the people of `turn` as it comes; returns when all is shown.

        While the place cannot be reached it goes on trying; it gives up only if the place does
        not take the answer at all. Its messages are no longer marked as waiting; those that are
        answered in reply to a later one are marked so.

        Args:
            turn: What is answered.
            answer: What the speaker says and does.
            record: Is told of how far the answer has come.
            streaming: How much is shown of the work meanwhile.
        """
        ...

    def news(self) -> str:
        """Return what the speaker is to know of what has happened there, each thing once.

        That is put before the next turn; it is empty, or ends with a newline.
        """
        ...

    def hush(self) -> bool:
        """End what is being spoken aloud there; `False` if nothing is."""
        ...

    async def mark_queued(self, ref: MessageRef) -> None:
        """Mark a message as one that waits to be answered; never raises a `MessengerError`."""
        ...

    async def unmark(self, ref: MessageRef) -> None:
        """Take that mark off a message that is not to be answered; raises as little."""
        ...
