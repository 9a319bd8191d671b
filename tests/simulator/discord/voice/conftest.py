from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from simulator.discord import DiscordSimulator, running_discord
from tests.fakes.voice_bot import VoiceBot, running_voice_bot


@pytest.fixture
async def discord(tmp_path: Path) -> AsyncIterator[DiscordSimulator]:
    async with running_discord(tmp_path) as simulator:
        yield simulator


@pytest.fixture
async def voice_bot(discord: DiscordSimulator) -> AsyncIterator[VoiceBot]:
    async with running_voice_bot(discord) as running:
        yield running
