from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from simulator.discord import DiscordSimulator, running_discord
from tests.fakes.voice_visit import VoiceVisit, running_voice_visit


@pytest.fixture
async def discord(tmp_path: Path) -> AsyncIterator[DiscordSimulator]:
    async with running_discord(tmp_path) as simulator:
        yield simulator


@pytest.fixture
async def visit(discord: DiscordSimulator) -> AsyncIterator[VoiceVisit]:
    async with running_voice_visit(discord) as running:
        yield running
