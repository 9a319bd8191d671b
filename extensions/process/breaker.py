"""Stops calling what does not answer, for a while. Pure.

Times are those of a clock that never jumps.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerOptions:
    """When calls are stopped, and for how long."""

    failures_to_open: int = 5
    """In a row."""
    successes_to_close: int = 2
    """In a row, of calls that were let through to find out."""
    first_open_seconds: float = 10.0
    """Twice as long after each call that was let through in vain."""
    longest_open_seconds: float = 120.0


class BreakerState(StrEnum):
    """Whether calls are let through."""

    CLOSED = "closed"
    """All are."""
    OPEN = "open"
    """None is."""
    HALF_OPEN = "half-open"
    """One at a time is, to find out."""


class Pass(Enum):
    """How a call was let through."""

    FREELY = "freely"
    AS_PROBE = "as a probe"
    """It is the one that finds out."""


class Breaker:
    """Lets calls of one peer through, or does not.

    Every call that was let through is told of once: that it `succeeded`, `failed`, or was
    `abandoned`.
    """

    def __init__(self, name: str, options: BreakerOptions | None = None) -> None:
        self.name = name
        """What people know it by."""
        self._options = options or BreakerOptions()
        self._state = BreakerState.CLOSED
        self._failures = 0
        self._successes = 0
        self._open_until = 0.0
        self._open_seconds = self._options.first_open_seconds
        self._is_probed = False
        self.times_opened = 0

    def state(self, *, now: float) -> BreakerState:
        """Return whether calls are let through."""
        if self._state is BreakerState.OPEN and now >= self._open_until:
            return BreakerState.HALF_OPEN
        return self._state

    def wait_seconds(self, *, now: float) -> float:
        """Return after how long a call will be let through at the earliest."""
        if self._state is not BreakerState.OPEN:
            return 0.0
        return max(0.0, self._open_until - now)

    def admit(self, *, now: float) -> Pass | None:
        """Let a call through; `None`: it must not be made."""
        if self._state is BreakerState.CLOSED:
            return Pass.FREELY
        if self._is_probed or now < self._open_until:
            return None
        self._state = BreakerState.HALF_OPEN
        self._is_probed = True
        return Pass.AS_PROBE

    def succeeded(self, how: Pass) -> None:
        """Take note that the peer answered a call, be it with an error of its own."""
        if how is Pass.FREELY:
            # An answer that comes in while it is open was asked for before: it proves little.
            if self._state is BreakerState.CLOSED:
                self._failures = 0
            return
        self._is_probed = False
        self._successes += 1
        if self._successes >= self._options.successes_to_close:
            self.reset()

    def failed(self, how: Pass, *, now: float) -> None:
        """Take note that a call got no answer."""
        if how is Pass.AS_PROBE:
            self._is_probed = False
            longer = self._open_seconds * 2
            self._open(min(longer, self._options.longest_open_seconds), now)
        elif self._state is BreakerState.CLOSED:
            self._failures += 1
            if self._failures >= self._options.failures_to_open:
                self._open(self._options.first_open_seconds, now)

    def abandoned(self, how: Pass) -> None:
        """Take note that nobody waited for the answer of a call: it says nothing."""
        if how is Pass.AS_PROBE:
            self._is_probed = False

    def reset(self) -> None:
        """Let all calls through, as if none had ever failed."""
        self._state = BreakerState.CLOSED
        self._failures = 0
        self._successes = 0
        self._open_seconds = self._options.first_open_seconds
        self._is_probed = False

    def _open(self, seconds: float, now: float) -> None:
        self._state = BreakerState.OPEN
        self._open_seconds = seconds
        self._open_until = now + seconds
        self._successes = 0
        self.times_opened += 1
