"""What jobs and people wrote, put into the bot's own messages so that it cannot pass for them.

It is data: it formats nothing, mentions nobody, hides no address behind other words, and holds no
character that cannot be seen. Pure.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

_ELLIPSIS = "…"
_MARK = "> "
_MOST_LINES = 20
_MOST_ACCENTS = 2
"""Combining marks on one letter; a heap of them covers the lines above and below."""

_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Letters and marks by name, but nothing is drawn for them.
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_BREAKS = re.compile("\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_SELECTORS = range(0xE0100, 0xE01F0)
"""Variation selectors beyond those that emoji need; they carry hidden text."""

_SPECIAL = frozenset("\\*_~|`[]<")
_ADDRESS = re.compile(
    r"https?://[A-Za-z0-9\-._~%/?#&=+:@,;!$']*[A-Za-z0-9\-_~%/#&=+$]", re.IGNORECASE
)
_MENTION = re.compile(r"@(?=everyone|here|[!&]?[0-9])", re.IGNORECASE)
_UNBROKEN = "@\u200b"
"""What Discord itself takes for no mention, be it in a message, a reply or an edit."""
_MASKED_LINK = re.compile(r"\[(?P<words>[^\[\]]*+)\]\(\s*+<?(?P<address>[^\s()<>]++)[^()]*+\)")
_LINE_START = re.compile(r"(?:#{1,3}|-#|[-+]|>{1,3})(?=\s|$|>)|[0-9]+(?=[.)](?:\s|$))|>")


def cleaned(text: str) -> str:
    """Return `text` without what cannot be seen; each break of a line is a newline."""
    return "".join(_seen(_BREAKS.sub("\n", text)))


def plain(text: str, limit: int) -> str:
    """Return `text` as one line that reads as it was written, at most `limit` characters long."""
    return _fitted(_pieces(" ".join(cleaned(text).split())), limit)


def quotation(text: str, limit: int) -> str:
    """Return `text` as a quotation that reads as it was written; empty lines are left out.

    Args:
        text: What somebody wrote.
        limit: The most characters; the marks of at most 20 lines come on top of them.
    """
    whole = _filled_lines(text)
    kept = whole[:_MOST_LINES]
    if len(whole) > len(kept):
        kept[-1] += _ELLIPSIS
    fitted = _fitted(_quoted(kept), limit)
    return "\n".join(_MARK + line for line in fitted.split("\n")) if fitted else ""


def is_quoted_whole(text: str, limit: int) -> bool:
    """Say whether `quotation` leaves out nothing of a text that can be seen."""
    lines = _filled_lines(text)
    return len(lines) <= _MOST_LINES and sum(map(len, _quoted(lines))) <= limit


def code(text: str, limit: int) -> str:
    """Return `text` as one piece of code, at most `limit` characters long."""
    inner = " ".join(cleaned(text).replace("`", "'").split())
    return f"`{_fitted(_unpinging(inner), limit - 2) or ' '}`"


def unmasked(text: str) -> str:
    """Return a text that keeps its formatting, but misleads nobody.

    Addresses stand beside the words that hid them, mentions mention nobody, and what cannot be
    seen is gone. Meant for a text that stands alone: what follows it could still be drawn into
    its formatting.
    """
    shown = _MASKED_LINK.sub(r"\g<words> (\g<address>)", cleaned(text))
    # Whatever else might be one: only side by side do the two make a link.
    return _MENTION.sub(_UNBROKEN, shown.replace("](", "] ("))


def _filled_lines(text: str) -> list[str]:
    lines = [line.strip() for line in cleaned(text).split("\n")]
    return [line for line in lines if line]


def _quoted(lines: Iterable[str]) -> list[str]:
    return _without_last(piece for line in lines for piece in (*_pieces(line), "\n"))


def _seen(text: str) -> Iterator[str]:
    accents = 0
    for character in text:
        category = unicodedata.category(character)
        accents = accents + 1 if category in {"Mn", "Me"} else 0
        is_unseen = category in _UNSEEN_CATEGORIES and character not in "\n\t"
        if is_unseen or character in _UNSEEN or ord(character) in _SELECTORS:
            continue
        if accents <= _MOST_ACCENTS:
            yield character


def _pieces(line: str) -> Iterator[str]:
    """Yield a line in pieces that can be cut off, but not cut through."""
    opening, position = _opening(line)
    yield opening
    while position < len(line):
        if address := _ADDRESS.match(line, position):
            # Discord formats nothing within an address.
            yield _MENTION.sub(_UNBROKEN, address[0])
            position = address.end()
        else:
            yield _escaped(line, position)
            position += 1


def _opening(line: str) -> tuple[str, int]:
    """Return what would make a heading, a list or a quotation of a line, escaped; and its end."""
    found = _LINE_START.match(line)
    if found is None:
        return "", 0
    if not found[0].isdigit():
        return f"\\{found[0]}", found.end()
    # Of a number in a list it is the point that makes it one.
    return f"{found[0]}\\{line[found.end()]}", found.end() + 1


def _escaped(line: str, position: int) -> str:
    if _MENTION.match(line, position):
        return _UNBROKEN
    character = line[position]
    return f"\\{character}" if character in _SPECIAL else character


def _unpinging(text: str) -> Iterator[str]:
    for position, character in enumerate(text):
        yield _UNBROKEN if _MENTION.match(text, position) else character


def _without_last(pieces: Iterable[str]) -> list[str]:
    return list(pieces)[:-1]


def _fitted(pieces: Iterable[str], limit: int) -> str:
    """Join pieces as long as they fit, with an ellipsis if some do not."""
    kept: list[str] = []
    length = 0
    for piece in pieces:
        kept.append(piece)
        length += len(piece)
        if length > limit:
            break
    if length <= limit:
        return "".join(kept)
    while kept and length > limit - len(_ELLIPSIS):
        length -= len(kept.pop())
    return "".join(kept).rstrip() + _ELLIPSIS
