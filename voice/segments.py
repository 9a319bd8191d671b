"""Finds what is said in a recording: from where to where somebody talks. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

_VOICE = 0.5
_PAUSE_FRAMES = 16
"""Half a second without voice ends it."""
_MARGIN_FRAMES = 6
"""How much silence is kept around it: 0.2 s."""
_LEAST_FRAMES = 6
"""With less voice it is a noise."""
_MOST_FRAMES = 470
"""15 s: longer ones are cut."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Somebody talks, from one frame up to another."""

    first: int
    end: int


def segments(probabilities: Iterable[float]) -> list[Segment]:
    """Return where somebody talks, in order; they do not overlap.

    Args:
        probabilities: Of each frame of 32 ms, how likely it is voice.
    """
    found: list[Segment] = []
    voiced: list[int] = []
    number = -1
    for number, probability in enumerate(probabilities):
        is_over = bool(voiced) and (
            number - voiced[-1] > _PAUSE_FRAMES or number - voiced[0] >= _MOST_FRAMES
        )
        if is_over:
            _close(found, voiced, number)
            voiced = []
        if probability >= _VOICE:
            voiced.append(number)
    _close(found, voiced, number + 1)
    return found


def _close(found: list[Segment], voiced: list[int], end: int) -> None:
    if len(voiced) < _LEAST_FRAMES:
        return
    earliest = found[-1].end if found else 0
    first = max(earliest, voiced[0] - _MARGIN_FRAMES)
    found.append(Segment(first, min(end, voiced[-1] + 1 + _MARGIN_FRAMES)))
