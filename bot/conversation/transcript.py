"""What was said on a voice line, as people read it. Pure."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from bot.quoting import plain

MOST_RECENT = 6
"""How many of the newest lines the status message shows."""

_LONGEST_NAME = 40
_LONGEST_TEXT = 220


class SaidHow(StrEnum):
    """What something was that was said on a line."""

    TO_BOT = "to the bot"
    OVERHEARD = "overheard"
    """By somebody who may talk to the bot, and to somebody else."""
    BY_OTHER = "by another"
    """By somebody who may not talk to the bot."""
    ANSWER = "answer"
    NOTICE = "notice"
    """Of jobs that have settled."""
    DICTATED = "dictated"
    """Word for word what somebody wanted said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptLine:
    """Something that was said."""

    at: float
    """Unix time, in seconds."""
    person_id: int | None
    """Who said it; `None`: the bot."""
    name: str
    """What they are called, as others see it."""
    text: str
    """Of the bot's own: what was heard of it."""
    how: SaidHow
    is_cut: bool = False
    """Whether more was to be said, but somebody interrupted."""


_MARKS = {
    SaidHow.TO_BOT: "👤",
    SaidHow.OVERHEARD: "💬",
    SaidHow.BY_OTHER: "🚷",
    SaidHow.ANSWER: "☕",
    SaidHow.NOTICE: "📣",
    SaidHow.DICTATED: "📢",
}


def shown_line(line: TranscriptLine) -> str:
    """Return a line as the status message shows it."""
    text = plain(line.text, _LONGEST_TEXT) or "…"
    cut = " *(interrupted)*" if line.is_cut else ""
    return f"{_MARKS[line.how]} **{plain(line.name, _LONGEST_NAME)}**: {text}{cut}"


class RecentLines:
    """The newest lines, in the order in which people began to say them."""

    def __init__(self) -> None:
        self._lines = deque[TranscriptLine](maxlen=MOST_RECENT)

    def add(self, line: TranscriptLine) -> None:
        """Put a line where it belongs."""
        self._lines = deque(
            sorted([*self._lines, line], key=lambda each: each.at), maxlen=MOST_RECENT
        )

    def __iter__(self) -> Iterator[TranscriptLine]:
        return iter(tuple(self._lines))
