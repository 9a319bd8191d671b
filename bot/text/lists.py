"""Tells which lines of a text belong to lists. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from bot.text.fences import Fence, is_fenced

_MARKER = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$)")
_OPENING = re.compile(r"[ \t]*(?:(?:-#|>{1,3})[ \t]+)?")
_HEADING = re.compile(r"#{1,6}[ \t]+")
_DEEPER = 2
"""By how many columns an item stands further in than the one that it belongs to, at least."""


class LineKind(Enum):
    """What a line is."""

    TEXT = auto()
    HEADING = auto()
    ITEM = auto()
    """The first line of an item that belongs to no other one."""
    SUBITEM = auto()
    """The first line of an item that belongs to another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line that is not blank; a fenced block does not end the line in which it begins."""

    start: int
    text_start: int
    """Where its words begin, after what makes an item or a heading of it."""
    kind: LineKind
    is_in_list: bool


def lines_of(text: str, fences: Sequence[Fence]) -> list[Line]:
    """Return the lines of `text`, but for the blank ones."""
    lines: list[Line] = []
    base: int | None = None
    end = 0
    for start, words in _raw_lines(text, fences):
        follows_blank = text.count("\n", end, start) > 1
        kind, opening = _kind(words, base)
        if kind is LineKind.ITEM:
            base = _indent(words)
        elif kind is LineKind.HEADING or (follows_blank and not _indent(words)):
            base = None
        lines.append(
            Line(start=start, text_start=start + opening, kind=kind, is_in_list=base is not None)
        )
        end = start + len(words.rstrip())
    return lines


def item_start(lines: Sequence[Line], position: int) -> int | None:
    """Return where the item of a list begins in which a position is; `None` if it is in none."""
    for line in reversed(lines):
        if line.start > position:
            continue
        if not line.is_in_list:
            return None
        if line.kind is LineKind.ITEM:
            return line.start
    return None


def _kind(words: str, base: int | None) -> tuple[LineKind, int]:
    """Return what a line is in a list of that indentation, and how much of it says so."""
    if (marker := _MARKER.match(words)) is not None:
        is_deeper = base is not None and _indent(words) >= base + _DEEPER
        return (LineKind.SUBITEM if is_deeper else LineKind.ITEM), marker.end()
    if (heading := _HEADING.match(words)) is not None:
        return LineKind.HEADING, heading.end()
    opening = _OPENING.match(words)
    return LineKind.TEXT, opening.end() if opening else 0


def _indent(words: str) -> int:
    expanded = words.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _raw_lines(text: str, fences: Sequence[Fence]) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, each with where it begins."""
    position = 0
    for line in text.split("\n"):
        start = position
        position += len(line) + 1
        if line.strip() and not is_fenced(start, fences):
            yield start, line.rstrip()
