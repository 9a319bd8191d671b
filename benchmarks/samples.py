"""Times that were taken of one thing, and what is told of them. Pure."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.rows import Row, Target

_MILLISECONDS = 1000.0
_HIGH_SHARE = 0.95


@dataclass(frozen=True, slots=True)
class Samples:
    """Times of one thing, in seconds."""

    seconds: Sequence[float]

    def __post_init__(self) -> None:
        if not self.seconds:
            raise ValueError("nothing was measured")

    @property
    def count(self) -> int:
        """How often it was measured."""
        return len(self.seconds)

    @property
    def median(self) -> float:
        """The time that half of them do not exceed, in seconds."""
        return statistics.median(self.seconds)

    @property
    def p95(self) -> float:
        """The time that 95 of 100 do not exceed, in seconds; the longest, where they are few."""
        return sorted(self.seconds)[math.ceil(_HIGH_SHARE * self.count) - 1]

    def rows(self, name: str, *, against: str = "", limit_ms: float | None = None) -> list[Row]:
        """Return the median and the 95th percentile as rows.

        Args:
            name: What was measured.
            against: How, or what it is held against.
            limit_ms: What the median must not exceed, in milliseconds.
        """
        count = f"n = {self.count}"
        target = None if limit_ms is None else Target("≤", limit_ms)
        return [
            Row(
                name=f"{name}, median",
                value=self.median * _MILLISECONDS,
                unit="ms",
                target=target,
                against=f"{count}; {against}" if against else count,
            ),
            Row(name=f"{name}, p95", value=self.p95 * _MILLISECONDS, unit="ms", against=count),
        ]
