"""A session, as data. Pure."""

import time
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.access import Place


class Notify(StrEnum):
    """Of which jobs it is told where a session is held that they have settled."""

    OFF = "off"
    ON = "on"
    """Those that were asked for there."""
    ALL = "all"
    """Those of everyone, as far as everyone there may see them."""


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
    is_open: bool = True

    def closed(self) -> "Session":
        """Return this session, open no more."""
        return replace(self, is_open=False)

    def spoken(self, *, at: float, claude_session_id: str) -> "Session":
        """Return this session after a turn was begun."""
        return replace(self, last_active_at=at, claude_session_id=claude_session_id)

    def notifying(self, notify: Notify) -> "Session":
        """Return this session with other notices."""
        return replace(self, notify=notify)


def session_name(*, at: float) -> str:
    """Return the name of a session that was given none, from the time in UTC."""
    return time.strftime("chat-%Y-%m-%d-%H%M", time.gmtime(at))
