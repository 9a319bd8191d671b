"""Packets as bytes: RTP, both ways of encrypting them, and what a network makes of them."""

from random import Random

import pytest

from simulator.discord.voice.network import delays_of
from simulator.discord.voice.rtp import (
    RtpHeader,
    body_of,
    header_size,
    payload_of,
    read_header,
)
from simulator.discord.voice.settings import AES256_GCM, XCHACHA20, Network
from simulator.discord.voice.transport import Transport

KEY = bytes(range(32))
PAYLOAD = bytes(range(90))


@pytest.mark.parametrize("mode", [AES256_GCM, XCHACHA20])
@pytest.mark.parametrize("extension", [b"", b"\x10\x55\x00\x00", bytes(12)])
@pytest.mark.parametrize("padding_bytes", [0, 1, 15])
@pytest.mark.parametrize("contributing", [(), (5, 6)])
def test_a_packet_is_read_as_it_was_written(
    mode: str, extension: bytes, padding_bytes: int, contributing: tuple[int, ...]
) -> None:
    header = RtpHeader(
        sequence=65_535,
        timestamp=(1 << 32) - 1,
        ssrc=9,
        is_padded=bool(padding_bytes),
        extension_bytes=len(extension) or None,
        contributing=contributing,
    )
    clear = header.encoded()
    body = body_of(PAYLOAD, extension=extension, padding_bytes=padding_bytes)
    packet = Transport(mode, KEY).seal(clear, body)
    assert read_header(packet) == header
    assert header_size(header) == len(clear)
    opened = Transport(mode, KEY).open(packet, header_bytes=len(clear))
    assert opened is not None
    assert payload_of(header, opened) == PAYLOAD


@pytest.mark.parametrize("mode", [AES256_GCM, XCHACHA20])
def test_a_packet_that_was_touched_is_refused(mode: str) -> None:
    header = RtpHeader(sequence=1, timestamp=2, ssrc=3)
    packet = bytearray(Transport(mode, KEY).seal(header.encoded(), PAYLOAD))
    for place in (3, 20, -1):
        touched = bytearray(packet)
        touched[place] ^= 1
        assert Transport(mode, KEY).open(bytes(touched), header_bytes=12) is None
    assert Transport(mode, KEY).open(bytes(packet[:14]), header_bytes=12) is None


@pytest.mark.parametrize("data", [b"", bytes(12), b"\x80" + bytes(10), b"\x8f" + bytes(20)])
def test_what_is_no_rtp_is_told_apart(data: bytes) -> None:
    assert read_header(data) is None


def test_a_body_that_does_not_fit_its_header_is_refused() -> None:
    padded = RtpHeader(sequence=1, timestamp=2, ssrc=3, is_padded=True)
    assert [payload_of(padded, body) for body in (b"", b"\0", b"\5")] == [None, None, None]
    extended = RtpHeader(sequence=1, timestamp=2, ssrc=3, extension_bytes=8)
    assert payload_of(extended, b"1234") is None


def test_a_perfect_network_delivers_at_once_and_a_bad_one_in_its_shares() -> None:
    chance = Random(1)  # noqa: S311 - the same each time
    assert delays_of(Network(), chance) == (0.0,)
    bad = Network(
        loss=0.2, duplication=0.1, reordering=0.3, held_back_seconds=1.0, jitter_seconds=0.5
    )
    delays = [delays_of(bad, chance) for _ in range(2000)]
    arrived = [delay for each in delays for delay in each]
    assert 0.17 < delays.count(()) / 2000 < 0.23
    assert 0.06 < sum(len(each) == 2 for each in delays) / 2000 < 0.10
    assert 0.27 < sum(delay >= 1.0 for delay in arrived) / len(arrived) < 0.33
    assert max(arrived) <= 1.5
