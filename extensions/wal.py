"""Looks at the write-ahead log of a database, which SQLite passes over in silence if it is damaged.

Its form is described at https://www.sqlite.org/fileformat2.html#walformat.
"""

import struct
from pathlib import Path

_HEADER_BYTES = 32
_LITTLE_ENDIAN_MAGIC, _BIG_ENDIAN_MAGIC = 0x377F0682, 0x377F0683
_WORD = 0xFFFFFFFF


def wal_damage(path: Path) -> str | None:
    """Return what is wrong with the log's header; `None` if it is right, or there is no log."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except FileNotFoundError:
        return None
    # A log is made empty, and one that holds less than a header has never held a change.
    return _finding(header) if len(header) == _HEADER_BYTES else None


def _finding(header: bytes) -> str | None:
    (magic,) = struct.unpack(">I", header[:4])
    if magic not in {_LITTLE_ENDIAN_MAGIC, _BIG_ENDIAN_MAGIC}:
        return "it does not begin as a journal does"
    order = ">" if magic == _BIG_ENDIAN_MAGIC else "<"
    if _checksum(struct.unpack(f"{order}6I", header[:24])) != struct.unpack(">2I", header[24:]):
        return "the checksum of its header is wrong"
    return None


def _checksum(words: tuple[int, ...]) -> tuple[int, int]:
    first = second = 0
    for left, right in zip(words[::2], words[1::2], strict=True):
        first = (first + left + second) & _WORD
        second = (second + right + first) & _WORD
    return first, second
