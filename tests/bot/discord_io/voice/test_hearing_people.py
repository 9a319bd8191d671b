"""The real discord.py in the simulator's voice channels: hearing and speaking."""

import random

import pytest

from bot.access import Person
from bot.discord_io.voice.transport import TransportMode
from bot.voice_door import CameIn, WentOut
from simulator.discord import DiscordSimulator
from simulator.discord.voice.happenings import SpeakingStarted
from tests.fakes.libdave_peer import LibdavePeer
from tests.fakes.voice_visit import SPOKEN, VoiceVisit, running_voice_visit
from tests.fakes.waiting import until


@pytest.mark.parametrize("mode", TransportMode)
async def test_the_bot_and_a_person_hear_each_other(
    discord: DiscordSimulator, visit: VoiceVisit, mode: TransportMode
) -> None:
    discord.voice.modes = (mode,)
    discord.voice.padded_share = 0.5
    lounge = discord.voice_channel("Lounge")
    alice = discord.person("alice").join_voice(lounge)
    line = await visit.join(lounge)
    assert await visit.hears(alice)
    line.play(SPOKEN)
    await line.sent(len(SPOKEN))
    heard = await alice.hears(discord.bot, pause_seconds=0.15)
    assert [packet.opus for packet in heard.packets] == list(SPOKEN)
    assert (line.sent_count, line.heard_count, line.waiting_count) == (5, 5, 0)
    report = line.report()
    assert (report.is_connected, report.is_encrypted, report.transport_mode) == (True, True, mode)


async def test_speech_ends_with_silence_and_is_shown(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    lounge = discord.voice_channel("Lounge")
    discord.person("alice").join_voice(lounge)
    line = await visit.join(lounge)
    await until(lambda: discord.voice_counts["received"] >= 5)
    discord.voice_counts.clear()
    line.play(SPOKEN)
    await until(lambda: discord.voice_counts["received"] >= 10)
    speakers = [word.account for word in discord.journal.of(SpeakingStarted)]
    assert speakers == [discord.bot]


async def test_everybody_is_heard_after_sixty_joins_and_leaves_without_word_of_who_speaks(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    discord.voice.is_speaking_told = False
    lounge = discord.voice_channel("Lounge")
    chance = random.Random(5)  # noqa: S311 - the same each time
    people = [discord.person("first").join_voice(lounge)]
    line = await visit.join(lounge)
    for number in range(60):
        if len(people) > 1 and (len(people) > 6 or chance.random() < 0.45):
            people.pop(chance.randrange(len(people))).leave()
        else:
            people.append(discord.person(f"person {number}").join_voice(lounge))
        await lounge.settled()
        assert await visit.hears_all(people), (number, line.report().counts)
    counts = line.report().counts
    assert (counts.get("undecryptable", 0), counts.get("unknown speaker", 0)) == (0, 0)


async def test_clients_of_another_make_are_heard_and_hear(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    lounge = discord.voice_channel("Lounge")
    alice = discord.person("alice").join_voice(lounge, make_peer=LibdavePeer)
    line = await visit.join(lounge)
    bob = discord.person("bob").join_voice(lounge)
    await lounge.settled()
    assert await visit.hears(alice)
    assert await visit.hears(bob)
    line.play(SPOKEN)
    heard = await alice.hears(discord.bot, pause_seconds=0.15)
    assert [packet.opus for packet in heard.packets] == list(SPOKEN)


async def test_who_was_there_before_the_bot_came_online_is_known_by_name(
    discord: DiscordSimulator,
) -> None:
    lounge = discord.voice_channel("Lounge")
    alice = discord.person("alice").join_voice(lounge)
    discord.add_bot_person("jukebox").join_voice(lounge)
    async with running_voice_visit(discord) as visit:
        line = await visit.join(lounge)
        expected = Person(id=alice.id, name="alice", guild_id=discord.guild.id)
        assert await visit.door.people_in(visit.place(lounge)) == [expected]
        assert (line.people, visit.told) == ((alice.id,), [])
        assert visit.door.where_is(alice.id, discord.guild.id) == visit.place(lounge)
        assert visit.door.where_is(1, discord.guild.id) is None


async def test_who_comes_and_goes_is_told_with_their_roles(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    lounge = discord.voice_channel("Lounge")
    line = await visit.join(lounge)
    friends, bob = discord.role("friends"), discord.person("bob")
    bob.give(friends)
    talker = bob.join_voice(lounge)
    came = await visit.is_told(CameIn)
    assert (came.person.name, came.person.role_ids) == ("bob", frozenset({friends.id}))
    assert line.people == (bob.id,)
    talker.deafen()
    await until(lambda: not line.listeners)
    talker.leave()
    assert await visit.is_told(WentOut) == WentOut(person_id=bob.id)
    assert not line.people


async def test_what_nobody_can_hear_counts_as_sent_but_not_as_heard(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    lounge = discord.voice_channel("Lounge")
    line = await visit.join(lounge)
    line.play(SPOKEN)
    await line.sent(5)
    alice = discord.person("alice").join_voice(lounge, is_deafened=True)
    await lounge.settled()
    await visit.is_told(CameIn)
    line.play(SPOKEN)
    await line.sent(10)
    alice.deafen(is_deafened=False)
    discord.mute_bot()
    await until(lambda: bool(line.listeners))
    line.play(SPOKEN)
    await line.sent(15)
    assert (line.sent_count, line.heard_count) == (15, 0)


async def test_other_bots_are_not_listened_to(discord: DiscordSimulator, visit: VoiceVisit) -> None:
    lounge = discord.voice_channel("Lounge")
    jukebox = discord.add_bot_person("jukebox").join_voice(lounge)
    line = await visit.join(lounge)
    assert not await visit.hears(jukebox)
    assert (line.people, line.report().counts["of bots"] >= 5) == ((), True)


async def test_a_silent_line_gives_signs_of_life_and_hears_afterwards(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    lounge = discord.voice_channel("Lounge")
    alice = discord.person("alice").join_voice(lounge)
    await visit.join(lounge)
    await until(lambda: discord.voice_counts["received"] >= 5)
    before = discord.voice_counts["received"]
    await until(lambda: discord.voice_counts["keepalive"] >= 8)
    # Frames of silence go out, too.
    assert discord.voice_counts["received"] > before
    assert await visit.hears(alice)
    assert visit.told == []
