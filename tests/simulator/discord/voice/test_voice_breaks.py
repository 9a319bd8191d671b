"""What becomes of the bot's voice connection when it is moved, put out, cut off, or not let in."""

from collections.abc import AsyncIterator

import pytest

from simulator.discord import DiscordSimulator, Permission
from simulator.discord.errors import NotAllowedError
from simulator.discord.voice.channel import VoiceChannel
from simulator.discord.voice.happenings import CallRekeyed, VoiceClosed, VoiceOpened, VoiceRefused
from simulator.discord.voice.peers import DaveyPeer
from tests.fakes.voice_wire import BareBot, bare_bot


@pytest.fixture
async def bare(discord: DiscordSimulator) -> AsyncIterator[BareBot]:
    async with bare_bot(discord) as bot:
        yield bot


@pytest.fixture
def lounge(discord: DiscordSimulator) -> VoiceChannel:
    return discord.voice_channel("Lounge")


async def test_the_next_connections_can_be_refused(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel
) -> None:
    discord.refuse_next_voice(4017)
    await bare.ask(lounge)
    await bare.told()
    wire = await bare.connect()
    await wire.send(0, bare.identity())
    assert await wire.close_code() == 4017
    wire = await bare.connect()
    await wire.send(0, bare.identity())
    assert (await wire.until(2))["op"] == 2


async def test_a_client_that_resumes_gets_what_it_missed(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel
) -> None:
    wire = await bare.join(lounge)
    seen = await wire.until(25)
    await discord.drop_voice(4015)
    assert await wire.close_code() == 4015
    alice = discord.person("alice").join_voice(lounge)
    wire = await bare.connect()
    await wire.send(7, bare.identity(seq_ack=seen["seq"]))
    missed = await wire.until(11)
    assert missed["d"] == {"user_ids": [str(alice.id)]}
    await wire.until(9)
    assert [one.was_resumed for one in discord.journal.of(VoiceOpened)] == [False, True]


async def test_a_connection_can_be_cut_without_a_word(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel
) -> None:
    wire = await bare.join(lounge)
    await discord.drop_voice(None)
    assert await wire.close_code() == 1006
    assert [one.code for one in discord.journal.of(VoiceClosed)] == [1006]


async def test_after_4006_nothing_can_be_resumed(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel
) -> None:
    wire = await bare.join(lounge)
    await discord.drop_voice()
    assert await wire.close_code() == 4006
    wire = await bare.connect()
    await wire.send(7, bare.identity(seq_ack=-1))
    assert await wire.close_code() == 4006
    await bare.ask(None)
    await bare.join(lounge)
    assert [one.code for one in discord.journal.of(VoiceClosed)] == [4006, 4006]


async def test_a_bot_that_is_moved_is_told_where_before_its_connection_is_closed(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel
) -> None:
    wire = await bare.join(lounge)
    other = discord.voice_channel("Other")
    discord.move_bot(other)
    await bare.told()
    assert (bare.state["channel_id"], await wire.close_code()) == (str(other.id), 4014)
    wire = await bare.connect()
    await wire.send(0, bare.identity())
    assert (await wire.until(2))["op"] == 2


@pytest.mark.parametrize("how", ["thrown out", "channel deleted"])
async def test_a_bot_that_is_put_out_is_told_so(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel, how: str
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    wire = await bare.join(lounge)
    if how == "thrown out":
        discord.throw_bot_out()
    else:
        discord.delete_channel(lounge)
        assert (alice.state, alice.seat) == (None, None)
    while (told := await bare.gateway.until("VOICE_STATE_UPDATE"))["d"]["channel_id"] is not None:
        pass
    assert told["d"]["channel_id"] is None
    assert await wire.close_code() == 4014
    assert discord.bot_voice is None


async def test_another_voice_server_knows_nothing_of_the_session(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel
) -> None:
    await bare.join(lounge)
    old = bare.server["token"]
    discord.change_voice_server()
    bare.server = (await bare.gateway.until("VOICE_SERVER_UPDATE"))["d"]
    assert bare.server["endpoint"] == "rotterdam2.discord.media:443"
    wire = await bare.connect()
    await wire.send(0, bare.identity(token=old))
    assert await wire.close_code() == 4006
    wire = await bare.connect()
    await wire.send(0, bare.identity())
    assert (await wire.until(2))["op"] == 2


@pytest.mark.parametrize("is_told_again", [True, False])
async def test_asking_again_for_the_same_channel_changes_the_state_alone(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel, *, is_told_again: bool
) -> None:
    discord.voice.is_server_told_again = is_told_again
    await bare.ask(lounge)
    await bare.told()
    await bare.ask(lounge, self_deaf=True)
    told = (await bare.gateway.until("VOICE_STATE_UPDATE"))["d"]
    assert told["self_deaf"]
    discord.person("alice").join_voice(lounge)
    expected = "VOICE_SERVER_UPDATE" if is_told_again else "VOICE_STATE_UPDATE"
    assert (await bare.gateway.next())["t"] == expected


async def refusals(discord: DiscordSimulator, count: int) -> list[str]:
    """Return why the bot was not let in, once there are so many reasons."""
    refused = discord.journal.of
    await discord.journal.until(
        lambda: len(refused(VoiceRefused)) == count or None, timeout_seconds=5
    )
    return [one.reason for one in refused(VoiceRefused)]


async def test_the_bot_is_not_let_in_where_it_is_full_or_it_may_not_or_nobody_can_talk(
    discord: DiscordSimulator, bare: BareBot
) -> None:
    full = discord.voice_channel("Full", user_limit=1)
    discord.person("alice").join_voice(full)
    await bare.ask(full)
    await bare.ask(full, channel_id=str(discord.text_channel("general").id))
    await bare.ask(full, channel_id="5")
    assert await refusals(discord, 3) == [
        "Full is full",
        "general is no voice channel",
        "there is no channel 5",
    ]
    discord.refuse_bot(Permission.CONNECT)
    await bare.ask(discord.voice_channel("Lounge"))
    assert (await refusals(discord, 4))[3] == "papercup may not connect to Lounge"
    assert discord.bot_voice is None
    discord.grant_bot(Permission.CONNECT | Permission.MOVE_MEMBERS)
    await bare.ask(full)
    await bare.told()
    assert full.has_bot


async def test_a_person_is_not_let_into_a_channel_that_is_full(discord: DiscordSimulator) -> None:
    full = discord.voice_channel("Full", user_limit=1)
    discord.person("alice").join_voice(full)
    with pytest.raises(NotAllowedError, match="bob may not join in Full"):
        discord.person("bob").join_voice(full)
    # A server's owner may do anything.
    discord.person("admin").join_voice(full)
    assert [account.name for account in full.people] == ["alice", "admin"]


async def test_a_bot_whose_gateway_session_is_over_is_in_no_channel(
    bare: BareBot, lounge: VoiceChannel
) -> None:
    wire = await bare.join(lounge)
    await bare.gateway.close()
    assert await wire.close_code() == 4014
    await lounge.empty_of_bot()


async def test_a_bot_that_lost_both_connections_is_in_no_channel(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel
) -> None:
    wire = await bare.join(lounge)
    await discord.drop_gateway(4000)
    assert lounge.has_bot
    await discord.drop_voice(4015)
    assert await wire.close_code() == 4015
    await lounge.empty_of_bot()


async def test_new_keys_are_used_although_a_client_never_says_that_it_has_them(
    discord: DiscordSimulator, bare: BareBot, lounge: VoiceChannel
) -> None:
    discord.voice.ready_seconds = 0.05
    alice = discord.person("alice").join_voice(lounge)
    wire = await bare.join(lounge)
    peer = DaveyPeer(discord.bot.id, lounge.id, 1)
    await wire.send_bytes(b"\x1a" + peer.begin((await wire.until(25))["bytes"]))
    await wire.until(30)
    await lounge.connected()
    (rekeyed,) = discord.journal.of(CallRekeyed)
    assert (rekeyed.epoch, set(rekeyed.members)) == (1, {alice.id, discord.bot.id})
