"""How many jobs one person may start within a minute. Pure."""

import math
from collections import deque

from extensions.errors import LocalProtocolError, SpawnRateError

_WINDOW_SECONDS = 60.0


class SpawnRate:
    """Counts what each person starts, in whatever way they do it.

    No minute, wherever it begins, holds more than the limit. What is refused does not count.
    """

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise LocalProtocolError(f"{limit} jobs a minute")
        self._limit = limit
        self._starts: dict[int, deque[float]] = {}
        """By person, when they started those of the last minute."""

    def count(self, person_id: int, *, at_seconds: float) -> None:
        """Count one more start of that person.

        Args:
            person_id: Who starts it.
            at_seconds: The time, by any clock; it may be set back.

        Raises:
            SpawnRateError: If they have started as many as they may.
        """
        self._forget(at_seconds)
        starts = self._starts.setdefault(person_id, deque())
        if len(starts) >= self._limit:
            wait_seconds = starts[0] + _WINDOW_SECONDS - at_seconds
            raise SpawnRateError(self._limit, max(1, math.ceil(wait_seconds)))
        starts.append(at_seconds)

    def _forget(self, now: float) -> None:
        for person_id, starts in list(self._starts.items()):
            # One that lies ahead is from before the clock was set back; it must not count for ever.
            kept = deque(at for at in starts if now - _WINDOW_SECONDS < at <= now)
            if kept:
                self._starts[person_id] = kept
            else:
                del self._starts[person_id]
