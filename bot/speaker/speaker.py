"""The interface between a conversation and whatever answers in it."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TextCame:
    """A piece of the answer; pieces of one paragraph are put together as they come."""

    text: str


@dataclass(frozen=True, slots=True)
class ParagraphEnded:
    """A paragraph is whole: what comes next is a new one."""

    text: str | None = None
    """All of it, which counts for more than its pieces: they may have come twice, or in part."""


@dataclass(frozen=True, slots=True)
class ParagraphDropped:
    """The paragraph that was being said is not meant: it is said anew."""


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """The speaker uses a tool."""

    name: str


@dataclass(frozen=True, slots=True)
class Warned:
    """Something was not as it should be, but the answer goes on."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Delayed:
    """The answer has to wait; this is told until it begins."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The turn is over. Nothing comes after it."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn is over, and not as it should be. Nothing comes after it."""

    sentence: str
    """What the person is told."""


SpeakerEvent = (
    TextCame | ParagraphEnded | ParagraphDropped | ToolUsed | Warned | Delayed | Answered | Failed
)


class Speaker(Protocol):
    """Answers in one conversation, one turn after the other."""

    async def run(self) -> None:
        """Keep the speaker going until it is cancelled."""
        ...

    def warm_up(self) -> None:
        """Get ready to answer, in the background."""
        ...

    def answer(self, text: str) -> AsyncGenerator[SpeakerEvent, None]:
        """Say `text` to the speaker, and yield the answer; it ends with `Answered` or `Failed`."""
        ...

    async def interrupt(self) -> bool:
        """Have the running answer end at once; `False` if there is none."""
        ...
