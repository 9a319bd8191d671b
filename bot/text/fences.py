"""Finds the fenced blocks of a text, as Discord sees them. Pure."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

FENCE = "```"
CLOSING = f"\n{FENCE}"

_LANGUAGE = re.compile(r"[A-Za-z0-9_+\-.#]{1,20}(?=\n)")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block in a text."""

    start: int
    body: int
    """Where its code begins, after the language."""
    end: int | None
    """`None` when it is not closed."""
    reopening: str
    """What opens it anew at the top of the next message."""

    def holds(self, position: int) -> bool:
        """Return whether a cut at that position would be one through the block."""
        return self.start < position and (self.end is None or position < self.end)


def find_fences(text: str) -> list[Fence]:
    """Return the fenced blocks of `text`, in their order."""
    fences: list[Fence] = []
    position = 0
    # Discord opens and closes a block at any three backticks, at the start of a line or not.
    while (start := text.find(FENCE, position)) >= 0:
        body = start + len(FENCE)
        language = _LANGUAGE.match(text, body)
        header = language.group() if language else ""
        close = text.find(FENCE, body)
        position = len(text) if close < 0 else close + len(FENCE)
        reopening = f"{FENCE}{header}\n"
        fences.append(Fence(start, body + len(header), None if close < 0 else position, reopening))
    return fences


def is_fenced(position: int, fences: Sequence[Fence]) -> bool:
    """Return whether a cut at that position would be one through any of the blocks of a text."""
    before = bisect_left(fences, position, key=attrgetter("start"))
    return before > 0 and fences[before - 1].holds(position)


def outside_fences(text: str) -> Iterator[tuple[str, bool]]:
    """Yield `text` in pieces, each with whether it stands outside fenced blocks."""
    position = 0
    for fence in find_fences(text):
        end = len(text) if fence.end is None else fence.end
        yield text[position : fence.start], True
        yield text[fence.start : end], False
        position = end
    yield text[position:], True
