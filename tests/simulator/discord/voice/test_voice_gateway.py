"""What the voice server says to a client that speaks its frames."""

from collections.abc import AsyncIterator

import pytest

from simulator.discord import DiscordSimulator
from simulator.discord.voice.channel import VoiceChannel
from tests.fakes.voice_wire import BareBot, bare_bot, selection


@pytest.fixture
async def bare(discord: DiscordSimulator) -> AsyncIterator[BareBot]:
    async with bare_bot(discord) as bot:
        yield bot


@pytest.fixture
def lounge(discord: DiscordSimulator) -> VoiceChannel:
    return discord.voice_channel("Lounge")


async def test_the_bot_is_told_its_state_and_then_its_server(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel
) -> None:
    await bare.ask(lounge, self_mute=True)
    await bare.told()
    assert (bare.state["channel_id"], bare.state["self_mute"]) == (str(lounge.id), True)
    assert bare.state["member"]["user"]["id"] == str(discord.bot.id)
    assert bare.server["endpoint"] == "rotterdam1.discord.media:443"
    assert lounge.has_bot


async def test_a_client_gets_its_address_and_a_key(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel
) -> None:
    await bare.ask(lounge)
    await bare.told()
    wire = await bare.connect()
    await wire.send(0, bare.identity())
    ready = (await wire.until(2))["d"]
    assert (ready["ip"], ready["modes"]) == ("127.0.0.1", list(discord.voice.modes))
    await wire.send(1, selection())
    description = (await wire.until(4))["d"]
    assert (description["mode"], description["dave_protocol_version"]) == (
        selection()["data"]["mode"],
        1,
    )
    assert len(description["secret_key"]) == 32
    await wire.send(3, {"t": 5, "seq_ack": -1})
    assert (await wire.until(6))["d"] == {"t": 5}


async def test_it_is_told_who_is_there_and_who_comes_and_goes(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    wire = await bare.join(lounge)
    assert (await wire.until(11))["d"] == {"user_ids": [str(alice.id)]}
    bob = discord.person("bob").join_voice(lounge)
    assert (await wire.until(11))["d"] == {"user_ids": [str(bob.id)]}
    bob.announce()
    assert (await wire.until(5))["d"]["user_id"] == str(bob.id)
    alice.leave()
    gone = await wire.until(13)
    assert gone["d"] == {"user_id": str(alice.id)}
    discord.voice.is_speaking_told = False
    bob.announce()
    bob.leave()
    assert (await wire.next())["op"] == 13


async def test_a_client_is_greeted_with_who_is_in_voice_and_told_what_becomes_of_them(
    discord: DiscordSimulator, lounge: VoiceChannel
) -> None:
    alice = discord.person("alice").join_voice(lounge, is_muted=True)
    async with bare_bot(discord) as bot:
        (greeted,) = bot.guild["voice_states"]
        alice.deafen()
        told = (await bot.gateway.until("VOICE_STATE_UPDATE"))["d"]
    seen = [(one["user_id"], one["self_mute"], one["self_deaf"]) for one in (greeted, told)]
    assert seen == [(str(alice.id), True, False), (str(alice.id), True, True)]


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("{", 4002),
        ('{"op": 0, "d": {}}', 4002),
        ('{"op": 99, "d": {}}', 4001),
        ('{"op": 5, "d": {"speaking": 1, "ssrc": 1}}', 4003),
        ('{"op": 7, "d": {"server_id": "1", "session_id": "1", "token": "x"}}', 4006),
    ],
)
async def test_a_client_that_misbehaves_is_told_why_it_is_thrown_out(
    bare: BareBot, frame: str, code: int
) -> None:
    wire = await bare.connect()
    await wire.send_text(frame)
    assert await wire.close_code() == code


@pytest.mark.parametrize(
    ("other", "code"),
    [
        ({"token": "wrong"}, 4006),
        ({"session_id": "wrong"}, 4006),
        ({"server_id": "1"}, 4006),
        ({"max_dave_protocol_version": 0}, 4017),
    ],
)
async def test_who_is_not_let_in_or_does_not_encrypt_is_refused(
    bare: BareBot, lounge: VoiceChannel, other: dict[str, object], code: int
) -> None:
    await bare.ask(lounge)
    await bare.told()
    wire = await bare.connect()
    await wire.send(0, bare.identity(**other))
    assert await wire.close_code() == code


@pytest.mark.parametrize(
    ("choice", "code"), [(selection("xsalsa20_poly1305"), 4016), (selection(protocol="rtc"), 4012)]
)
async def test_an_unknown_way_of_exchanging_packets_is_refused(
    bare: BareBot, lounge: VoiceChannel, choice: dict[str, object], code: int
) -> None:
    await bare.ask(lounge)
    await bare.told()
    wire = await bare.connect()
    await wire.send(0, bare.identity())
    await wire.until(2)
    await wire.send(1, choice)
    assert await wire.close_code() == code


async def test_what_belongs_to_nobody_known_is_refused(bare: BareBot, lounge: VoiceChannel) -> None:
    wire = await bare.join(lounge)
    await wire.send_bytes(b"\x1a" + bytes(20))
    assert await wire.close_code() == 4002


async def test_another_version_is_not_served(bare: BareBot) -> None:
    wire = await bare.connect(version=4, host="rotterdam1.discord.media")
    assert await wire.close_code() == 4012


async def test_a_client_that_gives_no_sign_of_life_is_thrown_out(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel
) -> None:
    discord.voice.heartbeat_seconds = 0.05
    wire = await bare.join(lounge)
    assert await wire.close_code() == 4009
