"""RTP (RFC 3550) as Discord's clients send it: Opus, a one-byte header extension, padding. Pure."""

import struct
from dataclasses import dataclass

OPUS_PAYLOAD_TYPE = 120
FRAME_TICKS = 960
"""By how much the timestamp grows with each packet: 20 ms at 48 kHz."""
AUDIO_LEVEL = b"\x10\x55\x00\x00"
"""One element of a header extension: the audio level, as clients of Discord send it."""

_VERSION = 2
_FIXED = struct.Struct(">BBHII")
_PREAMBLE = struct.Struct(">HH")
_ONE_BYTE_PROFILE = 0xBEDE
_PADDING_BIT, _EXTENSION_BIT, _CSRC_BITS = 0x20, 0x10, 0x0F
_MARKER_BIT = 0x80
_WORD_BYTES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RtpHeader:
    """What stands in clear before a packet's encrypted body."""

    sequence: int
    timestamp: int
    ssrc: int
    payload_type: int = OPUS_PAYLOAD_TYPE
    is_padded: bool = False
    extension_bytes: int | None = None
    """How long the extension is with which the body begins; `None`: there is none."""
    contributing: tuple[int, ...] = ()
    """SSRCs of contributing sources."""

    def encoded(self) -> bytes:
        """Return it as bytes, the extension's preamble included."""
        first = _VERSION << 6 | len(self.contributing)
        first |= _PADDING_BIT if self.is_padded else 0
        first |= 0 if self.extension_bytes is None else _EXTENSION_BIT
        fixed = _FIXED.pack(first, self.payload_type, self.sequence, self.timestamp, self.ssrc)
        sources = b"".join(ssrc.to_bytes(_WORD_BYTES) for ssrc in self.contributing)
        if self.extension_bytes is None:
            return fixed + sources
        words = self.extension_bytes // _WORD_BYTES
        return fixed + sources + _PREAMBLE.pack(_ONE_BYTE_PROFILE, words)


def read_header(data: bytes) -> RtpHeader | None:
    """Return the header with which a datagram begins; `None` if it is no RTP."""
    if len(data) < _FIXED.size or data[0] >> 6 != _VERSION:
        return None
    first, second, sequence, timestamp, ssrc = _FIXED.unpack_from(data)
    count = first & _CSRC_BITS
    end = _FIXED.size + _WORD_BYTES * count
    has_extension = bool(first & _EXTENSION_BIT)
    if len(data) < end + (_PREAMBLE.size if has_extension else 0):
        return None
    return RtpHeader(
        sequence=sequence,
        timestamp=timestamp,
        ssrc=ssrc,
        payload_type=second & ~_MARKER_BIT,
        is_padded=bool(first & _PADDING_BIT),
        extension_bytes=(
            _WORD_BYTES * _PREAMBLE.unpack_from(data, end)[1] if has_extension else None
        ),
        contributing=struct.unpack_from(f">{count}I", data, _FIXED.size),
    )


def header_size(header: RtpHeader) -> int:
    """Return how many bytes stand in clear."""
    preamble = 0 if header.extension_bytes is None else _PREAMBLE.size
    return _FIXED.size + _WORD_BYTES * len(header.contributing) + preamble


def body_of(payload: bytes, *, extension: bytes = b"", padding_bytes: int = 0) -> bytes:
    """Return what is encrypted: the extension's elements, the payload, and padding."""
    padding = bytes(padding_bytes - 1) + bytes([padding_bytes]) if padding_bytes else b""
    return extension + payload + padding


def payload_of(header: RtpHeader, body: bytes) -> bytes | None:
    """Return the payload in a decrypted body; `None` if the body does not fit its header."""
    start = header.extension_bytes or 0
    end = len(body)
    if header.is_padded:
        padding = body[-1] if body else 0
        if not padding:
            return None
        end -= padding
    return body[start:end] if start <= end else None
