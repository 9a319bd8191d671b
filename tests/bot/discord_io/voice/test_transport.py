import pytest

from bot.discord_io.voice import rtp, transport
from bot.discord_io.voice.transport import TransportMode
from simulator.discord.voice.transport import Transport

KEY = bytes(range(32))
HEADER = rtp.header(sequence=1, timestamp=960, ssrc=4)


def parsed(datagram: bytes) -> rtp.RtpPacket:
    packet = rtp.parse(datagram)
    assert packet is not None
    return packet


@pytest.mark.parametrize("mode", TransportMode)
def test_each_mode_is_the_one_that_others_know_by_that_name(mode: TransportMode) -> None:
    other = Transport(mode, KEY)
    assert transport.opened(mode, KEY, parsed(other.seal(HEADER, b"audio"))) == b"audio"
    sealed = transport.sealed(mode, KEY, 2**32 - 1, HEADER, b"audio")
    assert other.open(sealed, header_bytes=len(HEADER)) == b"audio"


@pytest.mark.parametrize("mode", TransportMode)
@pytest.mark.parametrize("where", [3, 14, -1])
def test_what_was_changed_on_its_way_is_refused(mode: TransportMode, where: int) -> None:
    sealed = bytearray(transport.sealed(mode, KEY, 1, HEADER, b"audio"))
    sealed[where] ^= 1
    assert transport.opened(mode, KEY, parsed(bytes(sealed))) is None
    assert transport.opened(mode, bytes(32), parsed(bytes(sealed))) is None
