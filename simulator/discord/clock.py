"""Time and ids, both from the one simulator that they belong to."""

import datetime as dt
import time
from collections.abc import Callable

DISCORD_EPOCH_MS = 1_420_070_400_000
_SEQUENCE_BITS = 22


class Clock:
    """The simulator's time: a monotonic reading, and the date that belongs to it."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Start it.

        Args:
            monotonic: Where the seconds come from; a test may hand in its own.
        """
        self._monotonic = monotonic
        self._offset_seconds = time.time() - monotonic()

    def seconds(self) -> float:
        """Return the monotonic time in seconds."""
        return self._monotonic()

    def unix_seconds(self) -> float:
        """Return the date as seconds since 1970."""
        return self._monotonic() + self._offset_seconds

    def date_of(self, seconds: float) -> str:
        """Return the date of a monotonic time, as Discord writes it."""
        moment = dt.datetime.fromtimestamp(seconds + self._offset_seconds, dt.UTC)
        return moment.isoformat(timespec="microseconds")


class Snowflakes:
    """Ids as Discord makes them: they grow, and tell when they were made."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0

    def next(self) -> int:
        """Return an id greater than all before it."""
        milliseconds = int(self._clock.unix_seconds() * 1000) - DISCORD_EPOCH_MS
        self._last = max(self._last + 1, milliseconds << _SEQUENCE_BITS)
        return self._last
