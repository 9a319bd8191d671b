"""What all lines of the benchmark share: models, voices, and people who talk."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.voice.people import People, running_people
from voice.clips import FillerShelf
from voice.engines.opening import open_hearing
from voice.engines.voices import SpeechSettings, open_voices
from voice.hearing_models import HearingModels
from voice.hearing_settings import HearingSettings
from voice.model_pool import ModelPool, open_model_pool
from voice.voices import Voices

MODEL_THREADS = 2
"""As many as the bot has unless it is told otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What lines are opened on."""

    models: HearingModels
    pool: ModelPool
    voices: Voices
    fillers: FillerShelf
    people: People


@cache
def models() -> HearingModels:
    """Return the models that hear, loaded once; takes a second."""
    with tempfile.TemporaryDirectory(prefix="papercup-benchmark-") as folder:
        return open_hearing(
            HearingSettings(models_folder=Path(folder), cache_folder=Path(folder, "cache"))
        )


@asynccontextmanager
async def running_stage(*, edge_url: str | None = None) -> AsyncGenerator[Stage, None]:
    """Have all that lines need while the block lasts.

    Args:
        edge_url: Where edge-tts is; unset: the offline voice speaks.
    """
    speech = SpeechSettings(engine="edge" if edge_url else "hibari", edge_url=edge_url)
    async with (
        open_model_pool(MODEL_THREADS) as pool,
        open_voices(speech) as voices,
        running_people() as people,
    ):
        fillers = FillerShelf()
        for voice in voices.engines:
            await fillers.prepare(voice)
        yield Stage(
            models=await asyncio.to_thread(models),
            pool=pool,
            voices=voices,
            fillers=fillers,
            people=people,
        )
