"""The packets in which Discord carries audio: RTP as of RFC 3550, its payload sealed. Pure."""

import struct
from dataclasses import dataclass

NONCE_BYTES = 4
"""At the end of each packet stands what is different in each of them."""
TAG_BYTES = 16

_FIXED_BYTES = 12
_VERSION = 0x80
_OPUS = 0x78
_RTCP = range(200, 205)
_NUMBERS = struct.Struct(">HII")
_HEADER = struct.Struct(">BBHII")


@dataclass(frozen=True, slots=True, kw_only=True)
class RtpPacket:
    """One packet as it came in."""

    sequence: int
    timestamp: int
    ssrc: int
    """Which stream it belongs to."""
    header: bytes
    """Can be read by everyone, and is authenticated."""
    sealed: bytes
    """The payload, with what proves that it is authentic."""
    nonce: bytes
    is_padded: bool
    extension_bytes: int
    """How much of the payload, at its start, is not audio."""


def parse(datagram: bytes) -> RtpPacket | None:
    """Return the audio packet that a datagram is; `None` if it is something else."""
    if len(datagram) < _FIXED_BYTES + TAG_BYTES + NONCE_BYTES:
        return None
    first, kind = datagram[0], datagram[1]
    if first & 0xC0 != _VERSION or kind in _RTCP or kind & 0x7F != _OPUS:
        return None
    has_extension = bool(first & 0x10)
    size = _FIXED_BYTES + 4 * (first & 0x0F) + 4 * has_extension
    if size > len(datagram) - TAG_BYTES - NONCE_BYTES:
        return None
    sequence, timestamp, ssrc = _NUMBERS.unpack_from(datagram, 2)
    return RtpPacket(
        sequence=sequence,
        timestamp=timestamp,
        ssrc=ssrc,
        header=datagram[:size],
        sealed=datagram[size:-NONCE_BYTES],
        nonce=datagram[-NONCE_BYTES:],
        is_padded=bool(first & 0x20),
        # The header says how long the extension is, in words of four bytes; it is sealed itself.
        extension_bytes=4 * int.from_bytes(datagram[size - 2 : size]) if has_extension else 0,
    )


def payload(packet: RtpPacket, opened: bytes) -> bytes | None:
    """Return the audio alone.

    Args:
        packet: From which.
        opened: What was sealed in it: the extension, the audio, and what fills it up.

    Returns:
        `None` if it does not hold what its header says.
    """
    end = len(opened)
    if packet.is_padded:
        fill = opened[-1] if opened else 0
        if fill == 0:
            return None
        end -= fill
    if packet.extension_bytes > end:
        return None
    return opened[packet.extension_bytes : end]


def header(*, sequence: int, timestamp: int, ssrc: int) -> bytes:
    """Return the header of a packet of Opus audio."""
    return _HEADER.pack(_VERSION, _OPUS, sequence, timestamp, ssrc)
