"""Versions as https://semver.org has them: whether a text is one, and which is newer. Pure."""

import re
from typing import TypeAlias

_SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)
_MAX_LENGTH = 128

Precedence: TypeAlias = tuple[tuple[int, int, int], bool, tuple[tuple[bool, int, str], ...]]


def precedence(version: str) -> Precedence | None:
    """Return what orders versions; `None` if it is none."""
    found = _SEMVER.fullmatch(version) if len(version) <= _MAX_LENGTH else None
    if found is None:
        return None
    major, minor, patch, pre_release = found.groups()
    parts = pre_release.split(".") if pre_release else []
    # A release comes after all that were released before it; numbers come before words.
    return (
        (int(major), int(minor), int(patch)),
        pre_release is None,
        tuple((not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts),
    )
