"""Cuts a long text into messages that Discord takes. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.text.breaks import best_end
from bot.text.fences import CLOSING, FENCE, Fence, find_fences
from bot.text.lists import item_start, lines_of

MESSAGE_LIMIT = 2000
"""How many characters (code points) Discord takes in one message."""

_LEAST_LIMIT = 64
_WORD = re.compile(r"\S")
_CODE = re.compile(r"[^\n]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


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
    between paragraphs, else lines or items of a list, else words. An item, a link, code and bold
    words are cut only if they alone are longer than a message, or nearly so. Only white space is
    dropped. As a text grows, every message but its last stays as it is, so that one that is being
    written can be shown by edits.

    Returns:
        The messages; none for a text of white space.

    Raises:
        ValueError: If `limit` leaves no room for a fence.
    """
    if limit < _LEAST_LIMIT:
        raise ValueError(f"a message needs room for {_LEAST_LIMIT} characters, not {limit}")
    return list(messages_of(text, limit))


def messages_of(text: str, limit: int) -> Iterator[str]:
    """Yield the messages of a text one by one; see `split_message`."""
    # Half of a character can be written in JSON, but not be sent.
    whole, reopening, position = _LONE_SURROGATE.sub("\ufffd", text).strip(), "", 0
    while position < len(whole):
        block = reopening + whole[position : position + limit + 1]
        cut = _next_cut(block, floor=len(reopening), limit=limit)
        if cut is None:
            yield _closed(block)
            return
        yield block[: cut.end].rstrip() + cut.closing
        # The indentation of code is no white space to drop.
        begins = _CODE if cut.reopening else _WORD
        found = begins.search(whole, position + cut.end - len(reopening))
        position, reopening = found.start() if found else len(whole), cut.reopening


def _closed(block: str) -> str:
    """Close a fence that the text leaves open, as one does that is still being written."""
    fences = find_fences(block)
    return block.rstrip() + CLOSING if fences and fences[-1].end is None else block


def _next_cut(block: str, *, floor: int, limit: int) -> _Cut | None:
    """Return where to cut first; `None` if `block` fits.

    Only the first `limit + 1` characters decide, so that what is written later changes nothing.

    Args:
        block: The text, with the fence that the message before it left open.
        floor: How much of it opens that fence.
        limit: The most characters of a message.
    """
    window = block[:limit]
    room = limit - len(CLOSING)
    fences = find_fences(window)
    fence = _first_without_room(fences, len(window), room)
    if fence is not None and fence.start > floor:
        return _Cut(_end_before(window, fence, fences, floor))
    if fence is not None:
        return _Cut(_end_inside(window[: room + 1], fence, floor), CLOSING, fence.reopening)
    if len(block) <= limit:
        return None
    return _Cut(best_end(block, fences, floor=floor, limit=limit))


def _first_without_room(fences: Sequence[Fence], length: int, room: int) -> Fence | None:
    """Return the first fence that is open where there is no room left to close it."""
    for fence in fences:
        position = max(room + 1, fence.start + len(FENCE))
        if position <= length and (fence.end is None or fence.end > position):
            return fence
    return None


def _end_before(window: str, fence: Fence, fences: Sequence[Fence], floor: int) -> int:
    """Cut before a fence, or before the item of a list to which it belongs."""
    start = item_start(lines_of(window, fences), fence.start)
    return start if start is not None and start > floor else fence.start


def _end_inside(window: str, fence: Fence, floor: int) -> int:
    """Cut after a line of code, so that at least one more goes into the next message."""
    code = window.rstrip("` \t\n")
    first = max(fence.body, floor) + 1
    line = code.rfind("\n", first)
    if line >= 0:
        return line
    return len(code) - 1 if len(code) - 1 > first else len(window) - 1
