"""The real discord.py in the simulator's voice channels, among people of both makes."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from simulator.discord import DiscordSimulator, Permission
from simulator.discord.errors import NotHeardError
from simulator.discord.voice.channel import VoiceChannel
from simulator.discord.voice.happenings import CallRekeyed, VoiceOpened
from simulator.discord.voice.opus import decoded, encoded
from simulator.discord.voice.peers import DaveyPeer, PeerMaker
from simulator.discord.voice.settings import Network
from simulator.discord.voice.speech import tone, write_wav
from tests.fakes.libdave_peer import LibdavePeer
from tests.fakes.voice_bot import GcmClient, HearingClient, VoiceBot

MAKERS: Sequence[PeerMaker] = (DaveyPeer, LibdavePeer)
A_SECOND = encoded(tone(500, 1.0))
SHORT = A_SECOND[:15]


@pytest.fixture
def lounge(discord: DiscordSimulator) -> VoiceChannel:
    return discord.voice_channel("Lounge")


async def heard_by(client: HearingClient, user_id: int, count: int) -> list[bytes]:
    """Return the packets that the bot heard of somebody, once they are so many."""
    async with asyncio.timeout(5):
        while len(heard := client.heard(user_id)) < count:
            await client.changed()
    return heard


@pytest.mark.parametrize(
    ("kind", "make_peer"), [(HearingClient, LibdavePeer), (GcmClient, DaveyPeer)]
)
async def test_the_bot_and_a_person_hear_each_other(
    discord: DiscordSimulator,
    voice_bot: VoiceBot,
    lounge: VoiceChannel,
    kind: type[HearingClient],
    make_peer: PeerMaker,
) -> None:
    alice = discord.person("alice").join_voice(lounge, make_peer=make_peer)
    client = await voice_bot.join(lounge, kind)
    said = await alice.speak(SHORT, speed=20)
    await client.say(encoded(tone(600, 0.3)))
    heard = await alice.hears(discord.bot, pause_seconds=0.3)
    assert said.packet_count == 15
    assert await heard_by(client, alice.id, 15) == list(SHORT)
    assert abs(heard.loudest_hertz - 600) < 10
    assert (len(heard.packets), client.refused, alice.recording.unreadable) == (15, [], {})
    (opened,) = discord.journal.of(VoiceOpened)
    assert opened.mode == client.mode


async def test_numbers_wrap_around_and_timestamps_go_on_during_a_pause(
    discord: DiscordSimulator, voice_bot: VoiceBot, lounge: VoiceChannel
) -> None:
    discord.voice.padded_share = 0.5
    alice = discord.person("alice").join_voice(lounge)
    client = await voice_bot.join(lounge)
    for _ in range(2):
        await alice.speak(A_SECOND, speed=20)
        await asyncio.to_thread(encoded, tone(500, 0.2))
    await heard_by(client, alice.id, 100)
    steps = [
        ((later.sequence - one.sequence) % 65_536, (later.timestamp - one.timestamp) % (1 << 32))
        for one, later in zip(client.received, client.received[1:], strict=False)
    ]
    assert {sequence for sequence, _ in steps} == {1}
    assert all(ticks % 960 == 0 for _, ticks in steps)
    numbers = [one.sequence for one in client.received]
    assert numbers != sorted(numbers)
    assert 20 < client.padded_count < 80


async def test_text_is_spoken_and_files_are_read(
    discord: DiscordSimulator, voice_bot: VoiceBot, lounge: VoiceChannel, tmp_path: Path
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    client = await voice_bot.join(lounge)
    said = await alice.speak("What time is it?", speed=20)
    spoken = decoded(await heard_by(client, alice.id, said.packet_count))
    assert 0.6 < len(spoken) / 48_000 < 2.0
    assert np.abs(spoken[:4800]).max() > 0.01
    write_wav(tmp_path / "tone.wav", tone(440, 0.2)[::3], rate=16_000)
    client.received.clear()
    await alice.speak(tmp_path / "tone.wav", speed=20)
    samples = decoded(await heard_by(client, alice.id, 10))
    assert abs(int(np.argmax(np.abs(np.fft.rfft(samples)))) * 48_000 / len(samples) - 440) < 10


async def test_people_come_and_go_and_everybody_hears_everybody(
    discord: DiscordSimulator, voice_bot: VoiceBot, lounge: VoiceChannel
) -> None:
    here = [discord.person("first").join_voice(lounge)]
    client = await voice_bot.join(lounge)
    for number, leaves in enumerate([0, 0, 0, 1, 0, 1, 1, 1, 0]):
        if leaves:
            here.pop(number % len(here)).leave()
        else:
            peer = MAKERS[number % 2]
            here.append(discord.person(f"p{number}").join_voice(lounge, make_peer=peer))
        await lounge.connected()
        client.received.clear()
        for talker in here:
            await talker.speak(SHORT[:3], speed=50)
        for talker in here:
            assert await heard_by(client, talker.id, 3) == list(SHORT[:3])
            for other in here:
                if other is not talker:
                    assert talker.recording.packets(other.account)[-1].opus == SHORT[2]
    assert client.refused == []


async def test_what_is_said_while_keys_change_is_heard(
    discord: DiscordSimulator, voice_bot: VoiceBot, lounge: VoiceChannel
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    client = await voice_bot.join(lounge)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(alice.speak(SHORT, speed=3))
        tasks.create_task(client.say(SHORT))
        for name in ("bob", "carol"):
            discord.person(name).join_voice(lounge, make_peer=LibdavePeer)
            await lounge.connected()
    heard = await alice.hears(discord.bot, pause_seconds=0.3)
    assert await heard_by(client, alice.id, 15) == list(SHORT)
    assert [packet.opus for packet in heard.packets] == list(SHORT)
    assert alice.recording.unreadable == {}


async def test_the_bot_can_be_the_one_who_commits(
    discord: DiscordSimulator, voice_bot: VoiceBot, lounge: VoiceChannel
) -> None:
    discord.voice.does_bot_commit = True
    client = await voice_bot.join(lounge)
    people = [
        discord.person(name).join_voice(lounge, make_peer=peer)
        for name, peer in zip("ab", MAKERS, strict=True)
    ]
    await lounge.connected()
    commits = [one.committed_by for one in discord.journal.of(CallRekeyed)]
    assert commits[0] in {discord.bot.id, people[0].id}
    assert commits[-1] == discord.bot.id
    for person in people:
        await person.speak(SHORT, speed=50)
        assert await heard_by(client, person.id, 15) == list(SHORT)


async def test_the_bot_alone_begins_anew_and_hears_who_comes_next(
    discord: DiscordSimulator, voice_bot: VoiceBot, lounge: VoiceChannel
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    client = await voice_bot.join(lounge)
    alice.leave()
    await lounge.connected()
    bob = discord.person("bob").join_voice(lounge, make_peer=LibdavePeer)
    await lounge.connected()
    await bob.speak(SHORT, speed=50)
    assert await heard_by(client, bob.id, 15) == list(SHORT)


async def test_who_is_muted_is_not_heard_and_who_is_deafened_hears_nothing(
    discord: DiscordSimulator, voice_bot: VoiceBot, lounge: VoiceChannel
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    bob = discord.person("bob").join_voice(lounge, is_deafened=True)
    client = await voice_bot.join(lounge)
    alice.mute()
    await alice.speak(SHORT, speed=50)
    await client.say(SHORT)
    alice.mute(is_muted=False)
    await alice.speak(SHORT[:3], speed=50)
    assert await heard_by(client, alice.id, 3) == list(SHORT[:3])
    assert len((await alice.hears(discord.bot, pause_seconds=0.3)).packets) == 15
    assert bob.recording.packets(discord.bot) == []


async def test_a_bot_that_a_moderator_muted_is_not_heard(
    discord: DiscordSimulator, voice_bot: VoiceBot, lounge: VoiceChannel
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    client = await voice_bot.join(lounge)
    discord.mute_bot()
    await client.say(SHORT)
    with pytest.raises(NotHeardError, match="alice did not hear papercup"):
        await alice.hears(discord.bot, timeout_seconds=0.1)
    discord.mute_bot(is_muted=False)
    await client.say(SHORT)
    assert len((await alice.hears(discord.bot, pause_seconds=0.3)).packets) == 15


async def test_a_bot_without_the_permission_to_speak_is_not_heard(
    discord: DiscordSimulator, voice_bot: VoiceBot, lounge: VoiceChannel
) -> None:
    discord.refuse_bot(Permission.SPEAK)
    await voice_bot.join(lounge)
    assert discord.bot_voice is not None
    assert discord.bot_voice.is_suppressed


async def test_on_a_stage_nothing_is_encrypted_and_the_bot_must_be_asked_to_speak(
    discord: DiscordSimulator, voice_bot: VoiceBot
) -> None:
    stage = discord.stage_channel("Stage")
    alice = discord.person("alice").join_voice(stage)
    alice.raise_hand()
    assert alice.state is not None
    assert (alice.state.is_suppressed, alice.state.asked_to_speak_at_seconds is None) == (
        True,
        False,
    )
    discord.let_speak(discord.person("alice"))
    client = await voice_bot.join(stage)
    await alice.speak(SHORT, speed=50)
    assert await heard_by(client, alice.id, 15) == list(SHORT)
    await client.say(SHORT)
    assert alice.recording.packets(discord.bot) == []
    discord.let_speak()
    await client.say(SHORT)
    heard = await alice.hears(discord.bot, pause_seconds=0.3)
    assert [packet.opus for packet in heard.packets] == list(SHORT)


async def test_packets_are_lost_doubled_and_overtake_each_other(
    discord: DiscordSimulator, voice_bot: VoiceBot, lounge: VoiceChannel
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    client = await voice_bot.join(lounge)
    bad = Network(
        loss=0.2, duplication=0.1, reordering=0.2, held_back_seconds=0.01, jitter_seconds=0.002
    )
    discord.worsen_network(bad, of_bot=Network(loss=0.5))
    await alice.speak(A_SECOND, speed=20)
    await client.say(SHORT)
    discord.worsen_network()
    marker = encoded(tone(900, 0.02))
    await alice.speak(marker, speed=20)
    async with asyncio.timeout(5):
        while marker[0] not in client.heard(alice.id):
            await client.changed()
    numbers = [one.sequence for one in client.received if one.opus in A_SECOND]
    assert 30 < len(set(numbers)) < 50
    # Those that arrived twice: end-to-end encryption opens each but once.
    assert client.refused != []
    assert discord.voice_counts["lost"] > 5
    assert numbers != sorted(numbers)


async def test_a_lost_question_for_ones_address_is_not_answered(
    discord: DiscordSimulator, voice_bot: VoiceBot, lounge: VoiceChannel
) -> None:
    discord.lose_discoveries()
    place = await voice_bot.place(lounge)
    with pytest.raises(TimeoutError):
        await place.connect(timeout=0.5, reconnect=False)
    await voice_bot.join(lounge)
    counts = discord.voice_counts
    assert (counts["discovery lost"], counts["discovery"]) == (1, 1)


async def test_a_person_goes_over_to_another_channel(
    discord: DiscordSimulator, voice_bot: VoiceBot, lounge: VoiceChannel
) -> None:
    other = discord.voice_channel("Other")
    alice = discord.person("alice").join_voice(lounge)
    client = await voice_bot.join(other)
    alice.move_to(other)
    await other.connected()
    await alice.speak(SHORT, speed=50)
    assert await heard_by(client, alice.id, 15) == list(SHORT)
    assert (lounge.people, alice.state and alice.state.channel.id) == ([], other.id)


async def test_what_a_person_heard_can_be_written_to_a_file_with_its_pauses(
    discord: DiscordSimulator, voice_bot: VoiceBot, lounge: VoiceChannel
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    client = await voice_bot.join(lounge)
    await client.say(SHORT)
    first = await alice.hears(discord.bot, pause_seconds=0.3)
    await client.say(SHORT)
    second = await alice.hears(
        discord.bot, after_seconds=first.ended_at_seconds + 0.01, pause_seconds=0.3
    )
    assert (len(first.packets), len(second.packets)) == (15, 15)
    lasted = second.ended_at_seconds - first.started_at_seconds
    assert len(alice.recording.samples(discord.bot)) / 48_000 > lasted - 0.1
    assert len(first.samples) == 15 * 960
