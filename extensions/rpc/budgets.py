"""What a peer may cost: bytes that nobody asked for, and lines in the log. Pure."""


class Allowance:
    """So much within a time, and a little at once; what is not used comes back."""

    def __init__(self, per_second: float, at_once: float, *, now: float) -> None:
        self._per_second = per_second
        self._at_once = at_once
        self._left = at_once
        self._at = now

    def take(self, amount: float, *, now: float) -> bool:
        """Take all of `amount`, or nothing; return whether it was there."""
        self._refill(now)
        if amount > self._left:
            return False
        self._left -= amount
        return True

    def spend(self, amount: float, *, now: float) -> float:
        """Take `amount`, even if it is not there; return in how many seconds it will be."""
        self._refill(now)
        self._left -= amount
        return max(0.0, -self._left / self._per_second)

    def _refill(self, now: float) -> None:
        self._left = min(self._at_once, self._left + (now - self._at) * self._per_second)
        self._at = now


class Tally:
    """Counts what is not worth a line in the log each time, and says when one is due."""

    def __init__(self, interval_seconds: float = 10.0) -> None:
        self._interval_seconds = interval_seconds
        self._due_at = float("-inf")
        self._count = 0

    def add(self, count: int, *, now: float) -> int:
        """Count; return how many a line has to tell of now, 0 for none."""
        self._count += count
        if now < self._due_at:
            return 0
        self._due_at = now + self._interval_seconds
        return self.rest()

    def rest(self) -> int:
        """Return how many no line has told of yet, and begin anew."""
        told, self._count = self._count, 0
        return told
