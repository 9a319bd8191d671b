"""A session, as data. Pure."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from bot.access import Place
from bot.speaker.speaker import Knobs


class Notify(StrEnum):
    """Of which jobs it is told where a session is held that they have settled."""

    OFF = "off"
    ON = "on"
    """Those that were asked for there."""
    ALL = "all"
    """Those of everyone, as far as everyone there may see them."""


class Streaming(StrEnum):
    """How much is shown of the work while an answer is made."""

    OFF = "off"
    SUMMARY = "summary"
    """One line: the tool of the moment, how many there were, how long it takes."""
    FULL = "full"
    """The newest tools and thoughts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A named conversation that is saved. Never changed in place."""

    id: str
    """Eight hexadecimal digits."""
    name: str
    place: Place
    opened_by: int
    """Discord's id of the person who opened it."""
    created_at: float
    """Unix time, in seconds."""
    last_active_at: float
    """Unix time, in seconds, of the last turn."""
    claude_session_id: str | None = None
    """Under which Claude keeps what was said; `None` until the first turn has been taken."""
    notify: Notify = Notify.OFF
    """Of which jobs it is told here that they have settled."""
    knobs: Knobs = field(default_factory=Knobs)
    """How its speaker is set."""
    streaming: Streaming = Streaming.OFF
    """How much is shown here of the work while an answer is made."""
    has_own_thread: bool = False
    """Whether its place is a thread that was opened for it: all that is said there is for it."""
    opened_at: float = 0.0
    """Unix time, in seconds, of when it was last opened in its place."""
    is_open: bool = True

    @property
    def last_used_at(self) -> float:
        """Unix time, in seconds, of its last turn, or of its opening if that is later."""
        return max(self.last_active_at, self.opened_at)

    def opened(self, place: Place, *, at: float) -> "Session":
        """Return this session, open in a place.

        Elsewhere than before it has no thread of its own, and tells of no jobs but its own.
        """
        if place.channel_id == self.place.channel_id:
            return replace(self, place=place, opened_at=at, is_open=True)
        notify = Notify.ON if self.notify is Notify.ALL else self.notify
        return replace(
            self, place=place, opened_at=at, is_open=True, has_own_thread=False, notify=notify
        )

    def closed(self) -> "Session":
        """Return this session, open no more."""
        return replace(self, is_open=False)

    def spoken(self, *, at: float, claude_session_id: str) -> "Session":
        """Return this session after a turn was begun."""
        return replace(self, last_active_at=at, claude_session_id=claude_session_id)

    def notifying(self, notify: Notify) -> "Session":
        """Return this session with other notices."""
        return replace(self, notify=notify)
