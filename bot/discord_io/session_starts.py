"""When the next session with Discord may be started. Pure.

Discord allows a bot 1,000 new sessions a day; whoever starts more loses the token. A bot in order
starts a few, so that one which starts many has a fault, and is slowed down long before the end.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

DAY_SECONDS = 24 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPace:
    """How fast sessions may be started: at most 820 a day."""

    free_starts: int = 100
    """So many within a day are not slowed down."""
    spacing_seconds: float = 120.0
    """From one to the next after that."""
    scarce_starts: int = 200
    """With fewer left by Discord's own count, they are spread until that begins anew."""


class SessionStarts:
    """Keeps count of the sessions that were started. Times are Unix times, in seconds.

    Args:
        started_at: When earlier ones were started.
        pace: How fast they may be.
    """

    def __init__(self, started_at: Iterable[float] = (), pace: SessionPace | None = None) -> None:
        self._started_at = deque(sorted(started_at))
        self._pace = pace or SessionPace()
        self._left: int | None = None
        self._resets_at = 0.0

    def learn(self, left: int, *, resets_at: float) -> None:
        """Take note of what Discord says: how many are left, and when the count begins anew."""
        self._left, self._resets_at = left, resets_at

    def count(self, *, now: float) -> None:
        """Count a session that is started now."""
        self._forget(now)
        self._started_at.append(now)
        if self._left is not None:
            self._left -= 1

    def wait_seconds(self, *, now: float) -> float:
        """Return how long to wait before another one is started."""
        self._forget(now)
        own = self._pace.spacing_seconds if len(self._started_at) >= self._pace.free_starts else 0.0
        return max(self._rest_of(own, now), self._wait_by_discords_count(now))

    def _wait_by_discords_count(self, now: float) -> float:
        until_reset = self._resets_at - now
        if self._left is None or until_reset <= 0 or self._left >= self._pace.scarce_starts:
            return 0.0
        if self._left <= 0:
            return until_reset
        return self._rest_of(until_reset / self._left, now)

    def _rest_of(self, spacing: float, now: float) -> float:
        return max(0.0, self._started_at[-1] + spacing - now) if self._started_at else 0.0

    def _forget(self, now: float) -> None:
        while self._started_at and self._started_at[0] <= now - DAY_SECONDS:
            self._started_at.popleft()
        # The clock was set back.
        while self._started_at and self._started_at[-1] > now:
            self._started_at.pop()
