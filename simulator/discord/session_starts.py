"""How many gateway sessions may be started in a day."""

from collections import deque

from simulator.discord.model import Json
from simulator.discord.settings import Settings


class SessionStarts:
    """Counts the sessions that were started."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._started_at: deque[float] = deque()
        """Monotonic, oldest first; of the present day."""

    def count(self, *, now: float) -> bool:
        """Count one; `False` if it is one too many."""
        self._forget(now)
        self._started_at.append(now)
        return len(self._started_at) <= self._settings.session_starts

    def as_json(self, *, now: float) -> Json:
        """Return a session start limit object."""
        self._forget(now)
        left = self._settings.session_starts - len(self._started_at)
        oldest = self._started_at[0] if self._started_at else now - self._day
        return {
            "total": self._settings.session_starts,
            "remaining": max(0, left),
            "reset_after": max(0, round((oldest + self._day - now) * 1000)),
            "max_concurrency": 1,
        }

    @property
    def _day(self) -> float:
        return self._settings.session_start_seconds

    def _forget(self, now: float) -> None:
        # Discord counts in days that begin with the first start.
        if self._started_at and self._started_at[0] + self._day <= now:
            self._started_at.clear()
