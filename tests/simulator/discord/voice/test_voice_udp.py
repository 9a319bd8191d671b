"""Datagrams of a client that makes them itself, on a stage, where audio is not encrypted twice."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from simulator.discord import DiscordSimulator
from simulator.discord.voice.talker import Talker
from tests.fakes.voice_wire import BareBot, Wire, bare_bot, selection

OPUS = bytes(range(1, 60))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A client on a stage, and its datagram socket."""

    bot: BareBot
    wire: Wire
    datagrams: socket.socket
    ssrc: int
    key: bytes

    async def answer_to(self, data: bytes) -> bytes:
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self.datagrams, data)
        async with asyncio.timeout(5):
            return await loop.sock_recv(self.datagrams, 2048)

    async def send(self, payload: bytes, *, payload_type: int = 120, key: bytes = b"") -> None:
        header = struct.pack(">BBHII", 0x80, payload_type, 1, 960, self.ssrc)
        sealed = AESGCM(key or self.key).encrypt(bytes(12), payload, header)
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self.datagrams, header + sealed + bytes(4))


@pytest.fixture
def datagrams() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.settimeout(0)
        yield made


@pytest.fixture
def alice(discord: DiscordSimulator) -> Talker:
    return discord.person("alice").join_voice(discord.stage_channel("Stage"))


@pytest.fixture
async def line(
    discord: DiscordSimulator, alice: Talker, datagrams: socket.socket
) -> AsyncIterator[Line]:
    del alice
    async with bare_bot(discord) as bot:
        await bot.ask(discord.stage_channel("Stage"))
        await bot.told()
        wire = await bot.connect()
        await wire.send(0, bot.identity())
        ready = (await wire.until(2))["d"]
        datagrams.connect((ready["ip"], ready["port"]))
        await wire.send(1, selection())
        key = bytes((await wire.until(4))["d"]["secret_key"])
        discord.let_speak()
        yield Line(bot=bot, wire=wire, datagrams=datagrams, ssrc=ready["ssrc"], key=key)


async def test_a_client_learns_its_own_address(line: Line) -> None:
    asked = struct.pack(">HHI", 1, 70, line.ssrc) + bytes(66)
    answer = await line.answer_to(asked)
    host, port = line.datagrams.getsockname()
    kind, length, ssrc, address, told_port = struct.unpack(">HHI64sH", answer)
    assert (kind, length, ssrc, told_port) == (2, 70, line.ssrc, port)
    assert address.rstrip(b"\0").decode() == host


async def test_a_sign_of_life_is_sent_back(discord: DiscordSimulator, line: Line) -> None:
    assert await line.answer_to(b"\1" + bytes(7)) == b"\1" + bytes(7)
    assert discord.voice_counts["keepalive"] == 1


async def test_what_is_no_audio_of_a_client_is_counted_and_forgotten(
    discord: DiscordSimulator, line: Line
) -> None:
    await line.send(OPUS, payload_type=72)
    await line.send(OPUS, key=bytes(32))
    await line.answer_to(bytes(8))
    counts = discord.voice_counts
    assert (counts["not audio"], counts["unreadable"], counts["received"]) == (1, 1, 0)


async def test_audio_is_forwarded_once_the_client_has_said_that_it_speaks(
    discord: DiscordSimulator, line: Line, alice: Talker
) -> None:
    await line.send(OPUS)
    await line.answer_to(bytes(8))
    assert alice.recording.packets(discord.bot) == []
    await line.wire.send(5, {"speaking": 1, "delay": 0, "ssrc": line.ssrc})
    assert (await alice.hears_start(discord.bot)).opus == OPUS
    await line.send(OPUS)
    await line.answer_to(bytes(8))
    assert len(alice.recording.packets(discord.bot)) == 2
    assert (discord.voice_counts["not announced"], discord.voice_counts["received"]) == (1, 1)


async def test_a_client_that_deafened_itself_gets_nothing(
    discord: DiscordSimulator, line: Line, alice: Talker
) -> None:
    discord.let_speak(discord.person("alice"))
    await line.answer_to(struct.pack(">HHI", 1, 70, line.ssrc) + bytes(66))
    alice.send_packet(OPUS)
    await line.bot.ask(discord.stage_channel("Stage"), self_deaf=True)
    while not (await line.bot.gateway.until("VOICE_STATE_UPDATE"))["d"]["self_deaf"]:
        pass
    alice.send_packet(OPUS)
    assert discord.voice_counts["sent"] == 1
