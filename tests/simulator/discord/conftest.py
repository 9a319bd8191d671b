from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from simulator.discord import DiscordSimulator, running_discord
from tests.fakes.sample_bot import SampleBot, running_sample_bot


@pytest.fixture
async def discord(tmp_path: Path) -> AsyncIterator[DiscordSimulator]:
    async with running_discord(tmp_path) as simulator:
        yield simulator


@pytest.fixture
async def bot(discord: DiscordSimulator) -> AsyncIterator[SampleBot]:
    async with running_sample_bot(discord) as running:
        yield running
