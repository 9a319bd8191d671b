"""What sort of picture a file is, judged by its first bytes. Pure.

A picture that the API does not take is refused in each later turn, too, as it stands in what was
said before: so only what is surely taken may be shown.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass

MOST_PICTURE_BYTES = 5 * 1024 * 1024 * 3 // 4
"""The API takes 5 MiB, measured after the bytes were written as base64."""
MOST_PIXELS_A_SIDE = 2000
"""What the API takes in a request with more than twenty pictures; a session comes to that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture of a kind that can be shown to a model."""

    media_type: str
    width: int
    """In pixels."""
    height: int


def picture_in(content: bytes) -> Picture | None:
    """Return what picture a file is; `None` if it is none, or it cannot be told how large."""
    for media_type, is_one, size in _KINDS:
        if not is_one(content):
            continue
        try:
            width, height = size(content)
        except (struct.error, IndexError, ValueError):
            return None
        return Picture(media_type=media_type, width=width, height=height)
    return None


def may_be_shown(picture: Picture, size_bytes: int) -> bool:
    """Say whether the API takes the picture, however many stand in a session."""
    sides = (picture.width, picture.height)
    return size_bytes <= MOST_PICTURE_BYTES and 0 < min(sides) <= max(sides) <= MOST_PIXELS_A_SIDE


def _png_size(content: bytes) -> tuple[int, int]:
    if content[12:16] != b"IHDR":
        raise ValueError(content[12:16])
    width, height = struct.unpack_from(">II", content, 16)
    return width, height


def _gif_size(content: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from("<HH", content, 6)
    return width, height


def _webp_size(content: bytes) -> tuple[int, int]:
    match content[12:16]:
        case b"VP8 ":
            width, height = struct.unpack_from("<HH", content, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = struct.unpack_from("<I", content, 21)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            width, height = content[24:27], content[27:30]
            return int.from_bytes(width, "little") + 1, int.from_bytes(height, "little") + 1
        case other:
            raise ValueError(other)


_NO_FRAMES = frozenset({0xC4, 0xC8, 0xCC})
"""Among the marks C0 to CF of JPEG, those that begin no frame."""
_MOST_MARKS = 10_000
"""No camera sets so many before the picture; one could go through a whole file in small steps."""


def _jpeg_size(content: bytes) -> tuple[int, int]:
    position = 2
    for _ in range(_MOST_MARKS):
        if content[position] != 0xFF:  # noqa: PLR2004 - each mark begins with it
            raise ValueError(position)
        mark = content[position + 1]
        if mark == 0xFF:  # noqa: PLR2004 - as many as one likes may stand before a mark
            position += 1
            continue
        if 0xC0 <= mark <= 0xCF and mark not in _NO_FRAMES:  # noqa: PLR2004 - see _NO_FRAMES
            height, width = struct.unpack_from(">HH", content, position + 5)
            return width, height
        (length,) = struct.unpack_from(">H", content, position + 2)
        position += 2 + length
    raise ValueError(position)


_Kind = tuple[str, Callable[[bytes], bool], Callable[[bytes], tuple[int, int]]]
_KINDS: tuple[_Kind, ...] = (
    ("image/png", lambda content: content.startswith(b"\x89PNG\r\n\x1a\n"), _png_size),
    ("image/jpeg", lambda content: content.startswith(b"\xff\xd8\xff"), _jpeg_size),
    ("image/gif", lambda content: content[:6] in {b"GIF87a", b"GIF89a"}, _gif_size),
    (
        "image/webp",
        lambda content: content[:4] == b"RIFF" and content[8:12] == b"WEBP",
        _webp_size,
    ),
)
