"""People among themselves in voice channels, without the bot."""

import asyncio
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from simulator.discord import DiscordSimulator
from simulator.discord.errors import NotHeardError
from simulator.discord.voice.channel import VoiceChannel
from simulator.discord.voice.happenings import SpeakingStarted, VoiceStateChanged
from simulator.discord.voice.opus import encoded
from simulator.discord.voice.speech import silence, synthesised, tone, trimmed
from tests.fakes.libdave_peer import LibdavePeer

ROOT = Path(__file__).parents[4]
SHORT = encoded(tone(500, 0.1))


@pytest.fixture
def lounge(discord: DiscordSimulator) -> VoiceChannel:
    return discord.voice_channel("Lounge")


async def test_two_people_hear_each_other_through_another_server_too(
    discord: DiscordSimulator, lounge: VoiceChannel
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    bob = discord.person("bob").join_voice(lounge, make_peer=LibdavePeer)
    await alice.speak(SHORT, speed=50)
    discord.change_voice_server()
    await lounge.settled()
    await bob.speak(SHORT, speed=50)
    for listener, speaker in ((bob, alice), (alice, bob)):
        heard = listener.recording.packets(speaker.account)
        assert [packet.opus for packet in heard] == list(SHORT)


async def test_one_alone_sends_nothing_and_who_left_neither(
    discord: DiscordSimulator, lounge: VoiceChannel
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    assert (await alice.speak(SHORT, speed=50)).packet_count == 0
    alice.leave()
    assert not alice.send_packet(SHORT[0])
    assert [one.channel for one in discord.journal.of(VoiceStateChanged)] == [lounge.channel, None]


async def test_packets_are_paced_and_told_beforehand(
    discord: DiscordSimulator, lounge: VoiceChannel
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    bob = discord.person("bob").join_voice(lounge)
    said = await alice.speak(SHORT)
    assert said.ended_at_seconds - said.started_at_seconds >= 0.1
    heard = bob.recording.packets(alice.account)
    assert heard[-1].at_seconds - heard[0].at_seconds >= 0.07
    (told,) = discord.journal.of(SpeakingStarted)
    assert told.account == alice.account
    assert told.at_seconds <= heard[0].at_seconds


async def test_one_person_says_one_thing_after_the_other(
    discord: DiscordSimulator, lounge: VoiceChannel
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    bob = discord.person("bob").join_voice(lounge)
    async with asyncio.TaskGroup() as tasks:
        for _ in range(2):
            tasks.create_task(alice.speak(SHORT, speed=5))
    heard = [packet.opus for packet in bob.recording.packets(alice.account)]
    assert heard == [*SHORT, *SHORT]


async def test_who_is_waited_for_in_vain_is_named(
    discord: DiscordSimulator, lounge: VoiceChannel
) -> None:
    alice = discord.person("alice").join_voice(lounge)
    with pytest.raises(NotHeardError, match=r"alice did not hear papercup$"):
        await alice.hears_start(discord.bot, timeout_seconds=0.01)


def test_a_synthesised_text_begins_and_ends_with_sound() -> None:
    samples = synthesised("Hello there.")
    assert 0.3 < len(samples) / 48_000 < 1.5
    assert np.abs(samples[:2000]).max() > 0.01
    assert np.abs(samples[-2000:]).max() > 0.01
    assert synthesised("Hello there.") is samples


def test_silence_trims_to_nothing() -> None:
    assert len(trimmed(silence(0.1))) == 0


def test_text_works_without_the_packages_that_audio_needs() -> None:
    program = (
        "import sys; import simulator.discord, simulator.__main__;"
        "print(', '.join({'av', 'davey', 'hibari', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.returncode) == ("", 0)
