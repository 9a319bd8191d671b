import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversation.pictures import (
    MOST_PICTURE_BYTES,
    MOST_PIXELS_A_SIDE,
    Picture,
    may_be_shown,
    picture_in,
)

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 480) + b"\x08\x02\0\0\0"
GIF = b"GIF89a" + struct.pack("<HH", 640, 480) + b"\0\0\0"
JPEG = (
    b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"  # an application's segment
    b"\xff\xff\xc4\0\x04\0\0"  # a table, with a fill byte before it
    b"\xff\xc2\0\x11\x08" + struct.pack(">HH", 480, 640) + b"\x03"
)


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF\0\0\0\0WEBP" + kind + struct.pack("<I", len(body)) + body


LOSSY = webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640, 480))
LOSSLESS = webp(b"VP8L", b"\x2f" + struct.pack("<I", 639 | 479 << 14))
EXTENDED = webp(b"VP8X", b"\0\0\0\0" + (639).to_bytes(3, "little") + (479).to_bytes(3, "little"))


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (PNG, "image/png"),
        (GIF, "image/gif"),
        (JPEG, "image/jpeg"),
        (LOSSY, "image/webp"),
        (LOSSLESS, "image/webp"),
        (EXTENDED, "image/webp"),
    ],
)
def test_a_picture_is_known_by_its_bytes_and_so_is_its_size(
    content: bytes, media_type: str
) -> None:
    assert picture_in(content) == Picture(media_type=media_type, width=640, height=480)


@pytest.mark.parametrize("content", [PNG, GIF, JPEG, LOSSY, LOSSLESS, EXTENDED])
def test_a_picture_that_breaks_off_before_its_size_is_none(content: bytes) -> None:
    for length in range(min(len(content) - 6, 16)):
        assert picture_in(content[:length]) is None


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", b"<svg/>", b"BM\0\0", b"hello"])
def test_what_the_api_does_not_take_is_no_picture(content: bytes) -> None:
    assert picture_in(content) is None


@given(st.sampled_from([PNG[:8], GIF[:6], JPEG[:3], LOSSY[:12]]), st.binary(max_size=80))
def test_whatever_follows_the_first_bytes_it_is_a_picture_or_none(
    start: bytes, rest: bytes
) -> None:
    picture = picture_in(start + rest)

    assert picture is None or picture.width >= 0 <= picture.height


@pytest.mark.parametrize(
    ("width", "height", "size_bytes", "is_shown"),
    [
        (640, 480, 1000, True),
        (MOST_PIXELS_A_SIDE, MOST_PIXELS_A_SIDE, MOST_PICTURE_BYTES, True),
        (MOST_PIXELS_A_SIDE + 1, 10, 1000, False),
        (10, MOST_PIXELS_A_SIDE + 1, 1000, False),
        (640, 480, MOST_PICTURE_BYTES + 1, False),
        (0, 480, 1000, False),
    ],
)
def test_only_what_the_api_takes_in_any_session_is_shown(
    width: int, height: int, size_bytes: int, *, is_shown: bool
) -> None:
    picture = Picture(media_type="image/png", width=width, height=height)

    assert may_be_shown(picture, size_bytes) is is_shown


@pytest.mark.parametrize("marks", [b"\xff\xc4\x00\x02", b"\xff\xff\xff\xff"])
def test_a_picture_is_not_looked_for_without_end(marks: bytes) -> None:
    frame = b"\xff\xc0\x00\x11\x08" + (5).to_bytes(2, "big") + (7).to_bytes(2, "big")

    assert picture_in(b"\xff\xd8\xff\xe0\x00\x02" + marks * 10 + frame) is not None
    assert picture_in(b"\xff\xd8\xff\xe0\x00\x02" + marks * 100_000 + frame) is None
