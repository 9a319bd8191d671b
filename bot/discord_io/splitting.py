"""Cuts a long text into messages that Discord takes. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MESSAGE_LIMIT = 2000
"""How many characters (code points) Discord takes in one message."""

_FENCE = "```"
_CLOSING = "\n```"
_LANGUAGE = re.compile(r"[A-Za-z0-9_+\-.#]{1,20}(?=\n)")
_WHITE_SPACE = re.compile(r"\s+")
_LEAST_LIMIT = 64


@dataclass(frozen=True, slots=True)
class _Fence:
    """A fenced block in a text."""

    start: int
    body: int
    """Where its code begins, after the language."""
    end: int | None
    """`None` when it is not closed."""
    reopening: str
    """What opens it anew at the top of the next message."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """Where a message ends, and how the next one begins."""

    end: int
    closing: str = ""
    reopening: str = ""


def split_message(text: str, limit: int = MESSAGE_LIMIT) -> list[str]:
    """Cut `text` into messages of at most `limit` characters.

    A fenced block that fits into a message of its own (with 4 characters to spare) is kept whole;
    a longer one is closed at the cut and opened anew, with its language. Elsewhere the cut is
    between paragraphs, else lines, else words. Only white space is dropped. As a text grows, every
    message but its last stays as it is, so that one that is being written can be shown by edits.

    Returns:
        The messages; none for a text of white space.

    Raises:
        ValueError: If `limit` leaves no room for a fence.
    """
    if limit < _LEAST_LIMIT:
        raise ValueError(f"a message needs room for {_LEAST_LIMIT} characters, not {limit}")
    messages: list[str] = []
    reopening, rest = "", text.strip()
    while (cut := _next_cut(reopening + rest, floor=len(reopening), limit=limit)) is not None:
        block = reopening + rest
        messages.append(block[: cut.end].rstrip() + cut.closing)
        reopening, rest = cut.reopening, block[cut.end :]
        # The indentation of code is no white space to drop.
        rest = rest.lstrip("\n") if reopening else rest.lstrip()
    if rest:
        messages.append(_closed(reopening + rest))
    return messages


def _closed(block: str) -> str:
    """Close a fence that the text leaves open, as one does that is still being written."""
    fences = _fences(block)
    return block.rstrip() + _CLOSING if fences and fences[-1].end is None else block


def _fences(block: str) -> list[_Fence]:
    fences: list[_Fence] = []
    position = 0
    # Discord opens and closes a block at any three backticks, at the start of a line or not.
    while (start := block.find(_FENCE, position)) >= 0:
        body = start + len(_FENCE)
        language = _LANGUAGE.match(block, body)
        header = language.group() if language else ""
        close = block.find(_FENCE, body)
        position = len(block) if close < 0 else close + len(_FENCE)
        reopening = f"{_FENCE}{header}\n"
        fences.append(_Fence(start, body + len(header), None if close < 0 else position, reopening))
    return fences


def _next_cut(block: str, *, floor: int, limit: int) -> _Cut | None:
    """Return where to cut first; `None` if `block` fits.

    Only the first `limit` characters decide, so that what is written later changes nothing.

    Args:
        block: The text, with the fence that the message before it left open.
        floor: How much of it opens that fence.
        limit: The most characters of a message.
    """
    window = block[:limit]
    room = limit - len(_CLOSING)
    fences = _fences(window)
    fence = _first_without_room(fences, len(window), room)
    if fence is not None and fence.start > floor:
        return _Cut(fence.start)
    if fence is not None:
        return _Cut(_end_inside(window[: room + 1], fence, floor), _CLOSING, fence.reopening)
    if len(block) <= limit:
        return None
    return _Cut(_end_outside(block, fences, floor=floor, limit=limit))


def _first_without_room(fences: Sequence[_Fence], length: int, room: int) -> _Fence | None:
    """Return the first fence that is open where there is no room left to close it."""
    for fence in fences:
        position = max(room + 1, fence.start + len(_FENCE))
        if position <= length and (fence.end is None or fence.end > position):
            return fence
    return None


def _end_inside(window: str, fence: _Fence, floor: int) -> int:
    """Cut after a line of code, so that at least one more goes into the next message."""
    code = window.rstrip("` \t\n")
    first = max(fence.body, floor) + 1
    line = code.rfind("\n", first)
    if line >= 0:
        return line
    return len(code) - 1 if len(code) - 1 > first else len(window) - 1


def _end_outside(block: str, fences: Sequence[_Fence], *, floor: int, limit: int) -> int:
    """Return the best end that is in no fence."""
    lines = [end for fence in fences for end in (fence.start, fence.end) if end is not None]
    words: list[int] = []
    paragraphs: list[int] = []
    for found in _WHITE_SPACE.finditer(block, 0, limit + 1):
        at = found.start()
        if not any(fence.start < at < (fence.end or limit) for fence in fences):
            (words, lines, paragraphs)[min(found.group().count("\n"), 2)].append(at)
    for ends in (paragraphs, lines, words):
        # A break near the top would leave a message of a few words.
        if ends and max(ends) >= limit // 2:
            return max(ends)
    left = [end for end in (*paragraphs, *lines, *words) if end > floor]
    # Backticks belong together.
    return max(left) if left else len(block[:limit].rstrip("`")) or limit
