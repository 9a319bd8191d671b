"""Coming into a voice channel, and what may keep the bot out."""

import asyncio

import pytest

from bot.access import Place
from bot.discord_io.voice.door import DiscordVoiceDoor
from bot.voice_door import JoinTrouble, MayNotSpeak, MaySpeak, Restrained, VoiceJoinError
from simulator.discord import DiscordSimulator, Permission
from simulator.discord.voice.channel import VoiceChannel
from tests.fakes.voice_visit import SPOKEN, VoiceVisit, running_voice_visit
from tests.fakes.waiting import until


async def trouble_of(visit: VoiceVisit, channel: VoiceChannel) -> tuple[JoinTrouble, str]:
    with pytest.raises(VoiceJoinError) as refused:
        await visit.door.join(visit.place(channel), visit.told.append)
    return refused.value.trouble, refused.value.detail


@pytest.mark.parametrize(
    ("denied", "missing"),
    [
        (Permission.CONNECT | Permission.SPEAK, "Connect"),
        (Permission.SPEAK, "Speak"),
        (Permission.VIEW_CHANNEL | Permission.SPEAK, "View Channel"),
    ],
)
async def test_missing_permissions_are_named(
    discord: DiscordSimulator, denied: Permission, missing: str
) -> None:
    lounge = discord.voice_channel("Lounge")
    discord._core.places.set_for(lounge.channel, discord.bot, deny=denied)
    async with running_voice_visit(discord) as visit:
        assert await trouble_of(visit, lounge) == (JoinTrouble.NO_PERMISSION, missing)
        assert not lounge.has_bot


async def test_a_full_channel_is_not_joined(discord: DiscordSimulator, visit: VoiceVisit) -> None:
    booth = discord.voice_channel("Booth", user_limit=1)
    alice = discord.person("alice").join_voice(booth)
    await until(lambda: visit.door.where_is(alice.id, discord.guild.id) is not None)
    assert await trouble_of(visit, booth) == (JoinTrouble.FULL, "its limit is reached")
    alice.leave()
    await until(lambda: visit.door.where_is(alice.id, discord.guild.id) is None)
    await visit.join(booth)


async def test_what_is_no_voice_channel_is_not_joined(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    place = Place(guild_id=discord.guild.id, channel_id=discord.text_channel("general").id)
    with pytest.raises(VoiceJoinError) as refused:
        await visit.door.join(place, visit.told.append)
    assert refused.value.trouble is JoinTrouble.GONE


async def test_without_a_connection_to_discord_nothing_is_joined() -> None:
    door = DiscordVoiceDoor()
    place = Place(guild_id=1, channel_id=2)
    with pytest.raises(VoiceJoinError) as refused:
        await door.join(place, lambda _: None)
    assert refused.value.trouble is JoinTrouble.OFFLINE
    assert (door.where_is(3, 1), await door.people_in(place), door.is_stage(place)) == (
        None,
        [],
        False,
    )
    await door.leave(1)


async def test_a_server_that_wants_more_encryption_is_told_of(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    lounge = discord.voice_channel("Lounge")
    discord.refuse_next_voice(4017)
    trouble, detail = await trouble_of(visit, lounge)
    assert (trouble, "4017" in detail) == (JoinTrouble.NO_ENCRYPTION, True)
    await visit.join(lounge)


async def test_a_first_try_that_fails_is_tried_again(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    lounge = discord.voice_channel("Lounge")
    discord.refuse_next_voice(4006)
    await visit.join(lounge)
    assert lounge.has_bot


async def test_two_failures_are_told_of(discord: DiscordSimulator, visit: VoiceVisit) -> None:
    lounge = discord.voice_channel("Lounge")
    discord.refuse_next_voice(4006, times=2)
    trouble, detail = await trouble_of(visit, lounge)
    assert (trouble, "4006" in detail) == (JoinTrouble.TIMED_OUT, True)
    await lounge.empty_of_bot()


async def test_questions_for_the_own_address_may_get_lost(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    lounge = discord.voice_channel("Lounge")
    alice = discord.person("alice").join_voice(lounge)
    discord.lose_discoveries(3)
    await visit.join(lounge)
    assert await visit.hears(alice)


async def test_whoever_gives_up_joining_leaves_nothing_behind(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    lounge = discord.voice_channel("Lounge")
    discord.lose_discoveries(100)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await visit.join(lounge)
    await lounge.empty_of_bot()
    discord.lose_discoveries(-100)
    await visit.join(lounge)


async def test_joining_another_channel_ends_the_line_in_the_first(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    lounge, other = discord.voice_channel("Lounge"), discord.voice_channel("Other")
    first = await visit.join(lounge)
    second = await visit.join(other)
    assert (lounge.has_bot, other.has_bot) == (False, True)
    assert (first.report().is_connected, second.report().is_connected) == (False, True)


async def test_on_a_stage_it_asks_to_speak_and_is_heard_once_it_may(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    stage = discord.stage_channel("Stage")
    alice = discord.person("alice").join_voice(stage)
    discord.let_speak(discord.person("alice"))
    line = await visit.join(stage)
    assert visit.door.is_stage(visit.place(stage))
    assert await visit.is_told(MayNotSpeak) == MayNotSpeak(may_ask=True)
    assert discord.bot_voice is not None
    assert discord.bot_voice.asked_to_speak_at_seconds is not None
    line.play(SPOKEN)
    await line.sent(5)
    assert line.heard_count == 0
    discord.let_speak()
    await visit.is_told(MaySpeak)
    line.play(SPOKEN)
    heard = await alice.hears(discord.bot, pause_seconds=0.15)
    assert ([packet.opus for packet in heard.packets], line.heard_count) == (list(SPOKEN), 5)
    # Nothing is encrypted end to end on a stage.
    assert await visit.hears(alice)
    assert not line.report().is_encrypted


async def test_on_a_stage_where_it_may_not_ask_it_says_so(discord: DiscordSimulator) -> None:
    stage = discord.stage_channel("Stage")
    discord.refuse_bot(Permission.REQUEST_TO_SPEAK)
    async with running_voice_visit(discord) as visit:
        await visit.join(stage)
        assert await visit.is_told(MayNotSpeak) == MayNotSpeak(may_ask=False)


async def test_a_moderator_of_a_stage_needs_nobodys_leave(discord: DiscordSimulator) -> None:
    stage = discord.stage_channel("Stage")
    moderator = Permission.MUTE_MEMBERS
    discord._core.places.set_for(stage.channel, discord.bot, allow=moderator)
    async with running_voice_visit(discord) as visit:
        await visit.join(stage)
        discord._core.calls.states.change(discord.bot, is_suppressed=True)
        assert await visit.is_told(MayNotSpeak) == MayNotSpeak(may_ask=True)
        await visit.is_told(MaySpeak)
        assert discord.bot_voice is not None
        assert not discord.bot_voice.is_suppressed


async def test_it_says_so_when_a_moderator_has_muted_it_and_when_that_is_undone(
    discord: DiscordSimulator, visit: VoiceVisit
) -> None:
    await visit.join(discord.voice_channel("Lounge"))
    discord.mute_bot()
    muted = await visit.is_told(Restrained)
    discord.mute_bot(is_muted=False)
    await until(lambda: len(visit.told) > 1)
    assert visit.told == [muted, Restrained(is_muted=False, is_deafened=False)]
    assert muted == Restrained(is_muted=True, is_deafened=False)
