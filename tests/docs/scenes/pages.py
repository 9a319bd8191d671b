"""The pages of the commands: where the transcripts and pictures of the scenes stand on them."""

import hashlib
import re
import struct
import zlib
from pathlib import Path

from tests.docs.pages import ROOT

PAGES = ROOT / "docs" / "commands"
PICTURES = ROOT / "docs" / "images" / "commands"
LINE_PICTURE = ROOT / "docs" / "images" / "voice-line.png"
"""Of the status message of a voice line, in the midst of a conversation."""

_KEYWORD = b"transcript"
_FIRST_CHUNK_ENDS_AT = 33
"""Where the header of every PNG ends, after which a note may stand."""
_NOTE = re.compile(rb"tEXt" + _KEYWORD + rb"\0([0-9a-f]{64})")


def page_path(group: str) -> Path:
    """Return where the page of a group of commands is."""
    return PAGES / f"{group}.md"


def picture_path(group: str) -> Path:
    """Return where the picture of a group of commands is."""
    return PICTURES / f"{group}.png"


def transcript_on(page: str, group: str) -> str:
    """Return the transcript that stands on a page."""
    found = _block(group).search(page)
    assert found is not None, f"the page has no place for the transcript of the scene {group!r}"
    return found[2].removesuffix("\n")


def with_transcript(page: str, group: str, transcript: str) -> str:
    """Return a page with another transcript on it."""
    assert transcript_on(page, group) is not None
    return _block(group).sub(lambda found: f"{found[1]}{transcript}\n{found[3]}", page)


def stamped(picture: bytes, transcript: str) -> bytes:
    """Return a PNG with a note in it of which transcript it belongs to."""
    content = _KEYWORD + b"\0" + _digest(transcript)
    checksum = struct.pack(">I", zlib.crc32(b"tEXt" + content))
    note = struct.pack(">I", len(content)) + b"tEXt" + content + checksum
    return picture[:_FIRST_CHUNK_ENDS_AT] + note + picture[_FIRST_CHUNK_ENDS_AT:]


def belongs_to(picture: bytes, transcript: str) -> bool:
    """Say whether a picture was drawn with that transcript."""
    found = _NOTE.search(picture)
    return found is not None and found[1] == _digest(transcript)


def _block(group: str) -> re.Pattern[str]:
    begin = rf"<!-- scene: {group} -->\n```text\n"
    return re.compile(rf"({begin})(.*?)(^```$)", re.DOTALL | re.MULTILINE)


def _digest(transcript: str) -> bytes:
    return hashlib.sha256(transcript.encode()).hexdigest().encode()
