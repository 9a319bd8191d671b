"""What breaks a voice line, and what becomes of it."""

import asyncio
import threading
from dataclasses import replace

import davey
import pytest

from bot.discord_io.voice.discord_link import DiscordVoiceLink
from bot.voice_door import (
    ChannelGone,
    Interrupted,
    JoinTrouble,
    Lost,
    Moved,
    Restored,
    ThrownOut,
)
from simulator.discord import DiscordSimulator
from simulator.discord.voice.channel import VoiceChannel
from simulator.discord.voice.talker import Talker
from tests.fakes.voice_visit import HASTY, SPOKEN, VoiceVisit, running_voice_visit
from tests.fakes.waiting import until


@pytest.fixture
def lounge(discord: DiscordSimulator) -> VoiceChannel:
    return discord.voice_channel("Lounge")


@pytest.fixture
def alice(discord: DiscordSimulator, lounge: VoiceChannel) -> Talker:
    return discord.person("alice").join_voice(lounge)


@pytest.fixture
async def line(visit: VoiceVisit, lounge: VoiceChannel, alice: Talker) -> DiscordVoiceLink:
    del alice
    return await visit.join(lounge)


CLOSE_CODES = [None, 1001, 4001, 4006, 4009, 4011, 4014, 4015, 4021, 4022, *[4006] * 5]


async def test_a_line_is_there_again_whatever_it_was_closed_with(
    discord: DiscordSimulator, visit: VoiceVisit, lounge: VoiceChannel, alice: Talker
) -> None:
    line = await visit.join(lounge)
    for code in CLOSE_CODES:
        await discord.drop_voice(code)
        await visit.is_told(Restored)
        await lounge.connected()
        assert await visit.hears(alice), code
        assert visit.told == [Interrupted(), Restored()], code
        del visit.told[:]
    assert line.report().rejoins == len(CLOSE_CODES)
    line.play(SPOKEN)
    assert len((await alice.hears(discord.bot, pause_seconds=0.15)).packets) == 5


async def test_what_waits_to_be_said_is_said_after_a_break_from_the_very_packet(
    discord: DiscordSimulator, visit: VoiceVisit, alice: Talker, line: DiscordVoiceLink
) -> None:
    speech = [bytes([0x78, *[number] * 40]) for number in range(1, 31)]
    line.play(speech)
    await line.sent(5)
    await discord.drop_voice(4015)
    await visit.is_told(Restored)
    await line.sent(30)
    await until(lambda: alice.recording.packets(discord.bot)[-1].opus == speech[-1])
    said = [packet.opus for packet in alice.recording.packets(discord.bot)]
    # What went to a server that was gone is lost, as on any line.
    assert [packet for packet in speech if packet in said] == said
    assert len(said) >= 25


async def test_another_server_of_discords_is_followed(
    discord: DiscordSimulator, visit: VoiceVisit, lounge: VoiceChannel, alice: Talker
) -> None:
    line = await visit.join(lounge)
    discord.change_voice_server()
    await lounge.connected()
    assert await visit.hears(alice)
    line.play(SPOKEN)
    assert len((await alice.hears(discord.bot, pause_seconds=0.15)).packets) == 5
    assert (visit.told, line.report().rejoins) == ([], 0)


async def test_the_line_goes_on_where_the_bot_is_moved_to(
    discord: DiscordSimulator, visit: VoiceVisit, alice: Talker, line: DiscordVoiceLink
) -> None:
    other = discord.voice_channel("Other")
    bob = discord.person("bob").join_voice(other)
    discord.move_bot(other)
    assert await visit.is_told(Moved) == Moved(place=visit.place(other))
    await other.connected()
    assert await visit.hears(bob)
    await until(lambda: line.people == (bob.id,))
    line.play(SPOKEN)
    assert len((await bob.hears(discord.bot, pause_seconds=0.15)).packets) == 5
    await discord.drop_voice(4006)
    await visit.is_told(Restored)
    await other.connected()
    assert await visit.hears(bob)
    assert not await visit.hears(alice)


async def test_a_bot_that_is_thrown_out_stays_out(
    discord: DiscordSimulator, visit: VoiceVisit, lounge: VoiceChannel, line: DiscordVoiceLink
) -> None:
    discord.throw_bot_out()
    await visit.is_told(ThrownOut)
    line.play(SPOKEN)
    await line.sent(5)
    assert (visit.told, lounge.has_bot, line.sent_count) == ([ThrownOut()], False, 0)
    assert not line.report().is_connected


async def test_a_channel_that_is_deleted_ends_the_line(
    discord: DiscordSimulator, visit: VoiceVisit, lounge: VoiceChannel, line: DiscordVoiceLink
) -> None:
    del line
    discord.delete_channel(lounge)
    await visit.is_told(ChannelGone)
    assert visit.told[-1] == ChannelGone()


async def test_a_server_that_wants_more_encryption_ends_the_line(
    discord: DiscordSimulator, visit: VoiceVisit, line: DiscordVoiceLink
) -> None:
    del line
    await discord.drop_voice(4017)
    assert await visit.is_told(Lost) == Lost(trouble=JoinTrouble.NO_ENCRYPTION)


async def test_a_break_after_which_the_bot_may_not_come_back_ends_the_line(
    discord: DiscordSimulator, visit: VoiceVisit, lounge: VoiceChannel, line: DiscordVoiceLink
) -> None:
    del line
    discord.shut_out(lounge)
    await discord.drop_voice(4006)
    assert await visit.is_told(Lost) == Lost(trouble=JoinTrouble.NO_PERMISSION)


async def test_the_gateway_may_break_and_come_back_without_the_line_noticing(
    discord: DiscordSimulator, visit: VoiceVisit, alice: Talker, line: DiscordVoiceLink
) -> None:
    await discord.drop_gateway()
    await discord.connected()
    assert await visit.hears(alice)
    assert (visit.told, line.report().rejoins) == ([], 0)


async def test_a_line_comes_back_after_a_new_session(
    discord: DiscordSimulator, visit: VoiceVisit, lounge: VoiceChannel, alice: Talker
) -> None:
    await visit.join(lounge)
    discord.invalidate_sessions()
    await visit.is_told(Restored)
    await lounge.connected()
    assert await visit.hears(alice)


async def test_a_line_comes_back_with_another_client(
    discord: DiscordSimulator, visit: VoiceVisit, lounge: VoiceChannel, alice: Talker
) -> None:
    line = await visit.join(lounge)
    discord.send_odd_event("CHANNEL_UPDATE", {"odd": True})
    await visit.is_told(Restored)
    await lounge.connected()
    assert await visit.hears(alice)
    assert line.people == (alice.id,)


async def test_a_line_whose_keys_are_lost_is_made_anew(
    discord: DiscordSimulator,
    visit: VoiceVisit,
    lounge: VoiceChannel,
    alice: Talker,
    line: DiscordVoiceLink,
) -> None:
    assert await visit.hears(alice)
    connection = line.connection
    assert connection is not None
    connection.voice.receiving.dave_session = davey.DaveSession(1, discord.bot.id, lounge.id)
    await alice.speak(SPOKEN * 2, speed=20)
    await visit.is_told(Restored)
    await lounge.connected()
    assert await visit.hears(alice)
    assert line.report().counts["undecryptable"] >= 5


async def test_a_line_that_gets_no_keys_is_made_anew(
    discord: DiscordSimulator,
    visit: VoiceVisit,
    lounge: VoiceChannel,
    alice: Talker,
    line: DiscordVoiceLink,
) -> None:
    assert line.connection is not None
    state = line.connection.voice.receiving
    state.dave_session = davey.DaveSession(1, discord.bot.id, lounge.id)
    await visit.is_told(Restored)
    await lounge.connected()
    assert await visit.hears(alice)


async def test_a_line_whose_signs_of_life_are_not_answered_any_more_is_made_anew(
    discord: DiscordSimulator, visit: VoiceVisit, lounge: VoiceChannel, line: DiscordVoiceLink
) -> None:
    connection = line.connection
    assert connection is not None
    await until(lambda: discord.voice_counts["keepalive"] >= 2)
    for _ in range(visit.door.options.unanswered_keepalives):
        connection.beat(has_people=True)
    assert not connection.ended_with.done()
    connection.beat(has_people=True)
    await visit.is_told(Restored)
    await lounge.connected()
    assert line.report().rejoins == 1


async def test_an_odd_message_about_keys_is_survived(
    discord: DiscordSimulator, visit: VoiceVisit, lounge: VoiceChannel, line: DiscordVoiceLink
) -> None:
    connection = line.connection
    assert connection is not None
    await connection.voice.ws.received_binary_message(b"\x00\x07\x1b\x00odd")
    bob = discord.person("bob").join_voice(lounge)
    await lounge.settled()
    assert await visit.hears(bob)
    assert (visit.told[1:], line.report().counts["odd messages"]) == ([], 1)


async def test_a_line_comes_back_when_both_connections_break_at_once(
    discord: DiscordSimulator, visit: VoiceVisit, lounge: VoiceChannel, alice: Talker
) -> None:
    await visit.join(lounge)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(discord.drop_gateway())
        tasks.create_task(discord.drop_voice(4006))
    await visit.is_told(Restored)
    await lounge.connected()
    assert await visit.hears(alice)


async def test_it_is_tried_again_until_it_works(
    discord: DiscordSimulator, visit: VoiceVisit, lounge: VoiceChannel, alice: Talker
) -> None:
    await visit.join(lounge)
    discord.refuse_next_voice(4006, times=3)
    await discord.drop_voice(4015)
    await visit.is_told(Restored)
    await lounge.connected()
    assert await visit.hears(alice)
    assert visit.told == [Interrupted(), Restored()]


async def test_after_some_time_nobody_tries_any_more(discord: DiscordSimulator) -> None:
    lounge = discord.voice_channel("Lounge")
    async with running_voice_visit(discord, replace(HASTY, give_up_seconds=0.3)) as visit:
        line = await visit.join(lounge)
        discord.refuse_next_voice(4006, times=1000)
        await discord.drop_voice(4006)
        assert await visit.is_told(Lost) == Lost(trouble=JoinTrouble.TIMED_OUT)
        assert not line.report().is_connected


async def test_a_line_that_is_left_can_be_joined_again(
    visit: VoiceVisit, lounge: VoiceChannel, line: DiscordVoiceLink
) -> None:
    guild_id = visit.discord.guild.id
    await visit.door.leave(guild_id)
    await visit.door.leave(guild_id)
    assert (lounge.has_bot, line.report().is_connected, visit.told) == (False, False, [])
    await visit.join(lounge)
    assert lounge.has_bot


async def test_a_bot_that_stops_leaves_without_a_word(
    discord: DiscordSimulator, lounge: VoiceChannel, alice: Talker
) -> None:
    async with running_voice_visit(discord) as visit:
        line = await visit.join(lounge)
        assert await visit.hears(alice)
    assert (lounge.has_bot, line.report().is_connected, visit.told) == (False, False, [])
    assert not [thread for thread in threading.enumerate() if "voice" in thread.name]
