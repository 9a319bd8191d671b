"""@discordjs/voice, which shares no line with discord.py, in the simulator's voice channel."""

import base64
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from simulator.discord import DiscordSimulator, running_discord
from simulator.discord.voice.happenings import VoiceOpened
from simulator.discord.voice.opus import encoded
from simulator.discord.voice.speech import tone
from simulator.discord.voice.talker import Talker
from tests.e2e.discord_js.running import (
    VOICE_SCRIPT,
    JsBot,
    discord_js_voice_folder,
    running_js_bot,
)
from tests.fakes.libdave_peer import LibdavePeer

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def folder() -> Path:
    return discord_js_voice_folder()


@pytest.fixture
async def discord(tmp_path: Path) -> AsyncIterator[DiscordSimulator]:
    async with running_discord(tmp_path) as simulator:
        yield simulator


def in_base64(packets: Sequence[bytes]) -> list[str]:
    return [base64.b64encode(packet).decode() for packet in packets]


async def speak_to(bot: JsBot, talker: Talker, packets: Sequence[bytes]) -> None:
    """Let somebody speak when the bot knows whose their packets are, and wait until it heard."""
    talker.announce()
    await bot.told("knows", user=str(talker.id))
    await talker.speak(packets)
    await bot.told("heard", user=str(talker.id), packets=in_base64(packets))


async def test_it_hears_people_and_is_heard(discord: DiscordSimulator, folder: Path) -> None:
    discord.voice.endpoint = f"localhost:{discord.tls_port}"
    lounge = discord.voice_channel("Lounge")
    alice = discord.person("alice").join_voice(lounge)
    bob = discord.person("bob").join_voice(lounge, make_peer=LibdavePeer)
    spoken, played = encoded(tone(500, 0.5)), encoded(tone(700, 0.5))
    environment = {"CHANNEL": str(lounge.id), "PACKETS": json.dumps(in_base64(played))}
    async with running_js_bot(discord, folder, script=VOICE_SCRIPT, **environment) as bot:
        await lounge.connected()
        for talker in (alice, bob):
            await speak_to(bot, talker, spoken)
        await bot.told("played")
        for talker in (alice, bob):
            speech = await talker.hears(discord.bot)
            assert [packet.opus for packet in speech.packets] == list(played)
        carol = discord.person("carol").join_voice(lounge)
        alice.leave()
        await lounge.connected()
        await speak_to(bot, carol, spoken)
        assert bot.errors() == []
    (opened,) = discord.journal.of(VoiceOpened)
    assert opened.mode == "aead_aes256_gcm_rtpsize"
