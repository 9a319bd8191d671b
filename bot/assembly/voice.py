"""What hears and speaks on voice lines, where that is installed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.config import Config
from bot.conversation.line_pipeline import OpenPipeline
from bot.conversation.voice_desk import ListVoices
from bot.conversation.voice_words import VoiceChoice
from voice.errors import EngineError
from voice.installed import VOICE_MISSING, missing


async def _no_voices() -> list[VoiceChoice]:
    raise EngineError(VOICE_MISSING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """What hears and speaks."""

    open_pipeline: OpenPipeline | None = None
    """`None` where voice is not installed."""
    missing: str = VOICE_MISSING
    """How it is added then: a sentence."""
    list_voices: ListVoices = _no_voices


NO_VOICE = Voice()


@asynccontextmanager
async def installed_voice(config: Config) -> AsyncGenerator[Voice, None]:
    """Yield what hears and speaks; nothing is loaded before the first line."""
    if missing():
        yield NO_VOICE
        return
    # Only here: without the packages of `papercup[voice]` it cannot be imported.
    from bot.voice_engines import voice_engines  # noqa: PLC0415

    async with voice_engines(config) as engines:
        yield Voice(open_pipeline=engines.open_pipeline, list_voices=engines.voices)
