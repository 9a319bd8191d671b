"""Names of files that people and models chose, made fit for a folder and for a message. Pure."""

import re
import unicodedata
from collections.abc import Iterable

from bot.quoting import cleaned

LONGEST_NAME = 100
"""In characters."""
_MOST_NAME_BYTES = 200
"""In UTF-8; a file system takes 255, and some room is left for what is put before or after it."""
_NAMELESS = "file"
_LONGEST_ENDING = 16
_MARKS = frozenset("._-+=,@()")
# What Windows takes for a device, whatever its ending: a name is passed on to such machines.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)", re.IGNORECASE)


def safe_name(name: str) -> str:
    """Return `name` as one that is harmless everywhere: one part of a path, visible, not too long.

    Letters of all scripts, digits and a few marks are kept, anything else becomes `_`. It never
    begins with a point or a dash. A name that is safe already is given back as it is.
    """
    seen = unicodedata.normalize("NFC", cleaned(name))
    fit = "".join(character if _is_fit(character) else "_" for character in seen)
    # An ending point is dropped by Windows, so that two names would be one.
    fit = _shortened(fit.lstrip("._-").rstrip(".")) or _NAMELESS
    return f"file-{fit}" if _RESERVED.match(fit) else fit


def distinct_names(names: Iterable[str]) -> list[str]:
    """Return safe names for `names`, no two of them alike, not even but for their capitals."""
    taken: set[str] = set()
    found: list[str] = []
    for name in map(safe_name, names):
        number, candidate = 1, name
        while candidate.casefold() in taken:
            number += 1
            candidate = _numbered(name, number)
        taken.add(candidate.casefold())
        found.append(candidate)
    return found


def _is_fit(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LN" or category in {"Mn", "Mc"} or character in _MARKS


def _numbered(name: str, number: int) -> str:
    stem, ending = _parts(name)
    mark = f"-{number}"
    return f"{_cut(stem, len(mark) + len(ending), len(mark) + len(ending.encode()))}{mark}{ending}"


def _shortened(name: str) -> str:
    stem, ending = _parts(name)
    return _cut(stem, len(ending), len(ending.encode())) + ending


def _cut(stem: str, other_characters: int, other_bytes: int) -> str:
    """Return as much of `stem` as fits beside the rest of a name."""
    kept = stem[: LONGEST_NAME - other_characters]
    most_bytes = _MOST_NAME_BYTES - other_bytes
    return kept.encode()[:most_bytes].decode(errors="ignore")


def _parts(name: str) -> tuple[str, str]:
    """Return a name's stem and its ending with the point; an ending that is long is none."""
    stem, point, ending = name.rpartition(".")
    is_one = bool(stem) and bool(ending) and len(ending.encode()) <= _LONGEST_ENDING
    return (stem, point + ending) if is_one else (name, "")
