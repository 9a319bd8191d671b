"""How long the stages of the newest turns took. Pure."""

import math
import statistics
from collections import deque
from collections.abc import Iterable, Mapping

from voice.line_report import STAGES, StageTimes

_KEPT = 100
"""How many times of each stage are remembered."""
_HIGH_SHARE = 0.95


class StageLog:
    """Remembers how long stages took."""

    def __init__(self, stages: Iterable[str] = STAGES) -> None:
        self._seconds: dict[str, deque[float]] = {stage: deque(maxlen=_KEPT) for stage in stages}

    def took(self, stage: str, seconds: float) -> None:
        """Remember that a stage took so long."""
        self._seconds[stage].append(max(seconds, 0.0))

    def report(self) -> Mapping[str, StageTimes]:
        """Return what is remembered of each stage."""
        return {stage: _times(tuple(seconds)) for stage, seconds in self._seconds.items()}


def _times(seconds: tuple[float, ...]) -> StageTimes:
    if not seconds:
        return StageTimes()
    return StageTimes(
        count=len(seconds),
        newest_seconds=seconds[-1],
        p50_seconds=statistics.median(seconds),
        p95_seconds=sorted(seconds)[math.ceil(_HIGH_SHARE * len(seconds)) - 1],
    )
