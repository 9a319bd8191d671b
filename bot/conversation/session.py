"""A session, as data. Pure."""

import time
from dataclasses import dataclass, replace

from bot.access import Place


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
    notify: bool = False
    """Whether it is told here when a job that was asked for here has settled."""
    is_open: bool = True

    def closed(self) -> "Session":
        """Return this session, open no more."""
        return replace(self, is_open=False)

    def spoken(self, *, at: float, claude_session_id: str) -> "Session":
        """Return this session after a turn was begun."""
        return replace(self, last_active_at=at, claude_session_id=claude_session_id)

    def notifying(self, *, on: bool) -> "Session":
        """Return this session with notices switched on or off."""
        return replace(self, notify=on)


def session_name(*, at: float) -> str:
    """Return the name of a session that was given none, from the time in UTC."""
    return time.strftime("chat-%Y-%m-%d-%H%M", time.gmtime(at))
