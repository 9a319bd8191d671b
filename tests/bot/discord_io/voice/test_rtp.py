import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.discord_io.voice import rtp
from simulator.discord.voice.rtp import RtpHeader, body_of

TAIL = bytes(rtp.TAG_BYTES + rtp.NONCE_BYTES)


@given(
    audio=st.binary(min_size=1, max_size=300),
    extension=st.sampled_from([b"", b"\x10\x55\0\0", b"\x10\x55\0\0\x20\x01\x02\x03"]),
    padding_bytes=st.integers(0, 200),
    sequence=st.integers(0, 2**16 - 1),
    timestamp=st.integers(0, 2**32 - 1),
)
def test_the_audio_of_a_packet_is_found(
    audio: bytes, extension: bytes, padding_bytes: int, sequence: int, timestamp: int
) -> None:
    header = RtpHeader(
        sequence=sequence,
        timestamp=timestamp,
        ssrc=7,
        is_padded=padding_bytes > 0,
        extension_bytes=len(extension) or None,
    ).encoded()
    packet = rtp.parse(header + b"sealed" + TAIL)
    assert packet is not None
    assert (packet.sequence, packet.timestamp, packet.ssrc) == (sequence, timestamp, 7)
    assert (packet.header, packet.sealed) == (header, b"sealed" + bytes(rtp.TAG_BYTES))
    body = body_of(audio, extension=extension, padding_bytes=padding_bytes)
    assert rtp.payload(packet, body) == audio


def test_what_the_bot_sends_is_parsed_again() -> None:
    header = rtp.header(sequence=65535, timestamp=2**32 - 1, ssrc=9)
    packet = rtp.parse(header + TAIL)
    assert packet is not None
    assert (packet.sequence, packet.timestamp, packet.ssrc) == (65535, 2**32 - 1, 9)


@pytest.mark.parametrize(
    "datagram",
    [
        b"",
        bytes(31),
        bytes(74),
        struct.pack(">BB", 0x80, 200) + bytes(60),
        struct.pack(">BB", 0x80, 0x60) + bytes(60),
        struct.pack(">BB", 0x8F, 0x78) + bytes(60),
    ],
    ids=["empty", "short", "no RTP", "RTCP", "no Opus", "sources beyond its end"],
)
def test_what_is_no_audio_is_passed_over(datagram: bytes) -> None:
    assert rtp.parse(datagram) is None


@given(st.binary(max_size=80))
def test_no_datagram_is_too_odd(datagram: bytes) -> None:
    packet = rtp.parse(b"\xbf\x78" + datagram)
    if packet is not None:
        rtp.payload(packet, datagram)


@pytest.mark.parametrize("opened", [b"", b"audio\0", b"ab\xff"])
def test_padding_that_cannot_be_is_refused(opened: bytes) -> None:
    packet = rtp.parse(b"\xa0\x78" + bytes(10) + TAIL)
    assert packet is not None
    assert rtp.payload(packet, opened) is None


def test_an_extension_that_is_longer_than_the_packet_is_refused() -> None:
    packet = rtp.parse(b"\x90\x78" + bytes(10) + b"\xbe\xde\0\x09" + TAIL)
    assert packet is not None
    assert rtp.payload(packet, b"short") is None
