"""Where a text may be cut into two messages, outside its fenced blocks. Pure."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter

from bot.text.fences import Fence, is_fenced
from bot.text.links import BARE_LINK, MASKED_LINK, UNFINISHED_LINK
from bot.text.lists import Line, LineKind, lines_of


class Rank(IntEnum):
    """How well a text is cut somewhere, the best first."""

    PARAGRAPH = 0
    LINE = 1
    """Between two lines, or two items of a list."""
    WORD = 2
    SUBITEM = 3
    """Within an item of a list, before one that stands below it."""
    ITEM_LINE = 4
    ITEM_WORD = 5


# After the signs that end a sentence where no space follows, a text may be cut as well.
_BREAK = re.compile(r"\s+|(?<=[。！？；，、])")  # noqa: RUF001 - they are what is looked for
_LINK = re.compile(f"!?(?:{MASKED_LINK}|{UNFINISHED_LINK})|<?{BARE_LINK}>?")
_LONGEST_SPAN = 300
_SPAN = re.compile(
    rf"(?<![`\\])(?P<ticks>`{{1,2}})(?!`)[^`\n]{{1,{_LONGEST_SPAN}}}(?:(?P=ticks)(?!`)|\Z)"
    r"|(?<!\\)(?P<marks>\*\*|__|~~|\|\|)(?=\S)"
    rf"[^\n]{{1,{_LONGEST_SPAN}}}?(?:(?<=\S)(?P=marks)|\Z)"
)
_JOINER = "\u200d"
_LONGEST_CHARACTER = 100
"""Of how many code points something may be made that is drawn as one character."""


@dataclass(frozen=True, slots=True)
class _Break:
    at: int
    rank: Rank


@dataclass(frozen=True, slots=True)
class _Span:
    """Some of a text that belongs together."""

    start: int
    end: int


def best_end(block: str, fences: Sequence[Fence], *, floor: int, limit: int) -> int:
    """Return where to cut `block` so that at most `limit` characters stand before the cut.

    Only the first `limit + 1` characters decide. Links are not cut if they fit into a message.
    Items of lists, code and bold words are not cut if there is another end.

    Args:
        block: A text that is longer than `limit`, and of which no fence needs to be cut.
        fences: Those that begin in its first `limit` characters.
        floor: How much of it has to stand before the cut at least.
        limit: The most characters of a message.
    """
    seen = block[: limit + 1]
    lines = lines_of(seen, fences)
    breaks = [each for each in _breaks(seen, lines, fences, limit) if each.at > floor]
    links = [
        _Span(*found.span())
        for found in _LINK.finditer(seen)
        if not is_fenced(found.start(), fences)
    ]
    uncut = _outside(breaks, links)
    spans = [
        _Span(*found.span())
        for found in _SPAN.finditer(seen)
        if not _is_within(found.start(), links)
    ]
    goes_on = bool(lines) and lines[-1].is_in_list
    for choice in (_outside(uncut, spans), uncut):
        if choice:
            return _best(choice, limit, leave_a_list=goes_on)
    return _hard_end(seen, breaks, links, floor=floor, limit=limit)


def _breaks(
    seen: str, lines: Sequence[Line], fences: Sequence[Fence], limit: int
) -> Iterator[_Break]:
    for fence in fences:
        for at in (fence.start, fence.end):
            if at is not None:
                rank = Rank.ITEM_LINE if _line_at(lines, at).is_in_list else Rank.LINE
                yield _Break(at, rank)
    for found in _BREAK.finditer(seen):
        at = found.start()
        if at <= limit and not is_fenced(at, fences):
            yield from _break(found, lines, is_last=found.end() == len(seen))


def _break(found: re.Match[str], lines: Sequence[Line], *, is_last: bool) -> Iterator[_Break]:
    """Yield the break that is found, if the text may be cut there; the last may go on."""
    newlines = found.group().count("\n")
    line, following = _line_at(lines, found.start()), _line_at(lines, found.end())
    if newlines == 0:
        if found.start() >= line.text_start:
            yield _Break(found.start(), Rank.ITEM_WORD if line.is_in_list else Rank.WORD)
    elif following.kind is LineKind.SUBITEM and not is_last:
        yield _Break(found.start(), Rank.SUBITEM)
    elif following.is_in_list and (is_last or following.kind is not LineKind.ITEM):
        yield _Break(found.start(), Rank.ITEM_LINE)
    elif line.kind is LineKind.HEADING:
        # It belongs to what follows.
        yield _Break(found.start(), Rank.WORD)
    elif newlines > 1 and not (line.is_in_list and following.is_in_list):
        yield _Break(found.start(), Rank.PARAGRAPH)
    else:
        yield _Break(found.start(), Rank.LINE)


def _line_at(lines: Sequence[Line], position: int) -> Line:
    """Return the line in which a position is."""
    number = bisect_right(lines, position, key=attrgetter("start"))
    return lines[max(number - 1, 0)]


def _outside(breaks: Sequence[_Break], spans: Sequence[_Span]) -> list[_Break]:
    return [each for each in breaks if not _is_within(each.at, spans)]


def _is_within(position: int, spans: Sequence[_Span]) -> bool:
    """Say whether a cut at that position would be one through any of `spans`, in their order."""
    before = bisect_left(spans, position, key=attrgetter("start"))
    return before > 0 and position < spans[before - 1].end


def _best(breaks: Sequence[_Break], limit: int, *, leave_a_list: bool) -> int:
    for ranks in ((Rank.PARAGRAPH, Rank.LINE, Rank.WORD), tuple(Rank)[3:]):
        for rank in ranks:
            ends = [each.at for each in breaks if each.rank is rank]
            # A break near the top would leave a message of a few words.
            least = limit // 3 if leave_a_list and rank is Rank.PARAGRAPH else limit // 2
            if ends and max(ends) >= least:
                return max(ends)
        if left := [each.at for each in breaks if each.rank in ranks]:
            return max(left)
    raise AssertionError("there is a break")


def _hard_end(
    seen: str, breaks: Sequence[_Break], links: Sequence[_Span], *, floor: int, limit: int
) -> int:
    """Return where to cut what has no break outside its links."""
    for span in links:
        if max(floor, 0) < span.start <= limit < span.end:
            return span.start
    if breaks:
        return max(each.at for each in breaks)
    # Backticks belong together, and so does what is drawn as one character.
    end = len(seen[:limit].rstrip("`"))
    if end <= floor:
        return limit
    for at in range(end, max(floor, end - _LONGEST_CHARACTER), -1):
        if not _is_drawn_as_one(seen[at - 1], seen[at : at + 1]):
            return at
    return end


def _is_drawn_as_one(before: str, after: str) -> bool:
    if not after:
        return False
    is_mark = unicodedata.category(after) in {"Mn", "Me"} or after == _JOINER
    return is_mark or before in {_JOINER, "\\"}
