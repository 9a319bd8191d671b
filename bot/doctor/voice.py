"""Checks of voice: whether it is installed, its models load, and the voice can be reached."""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bot.config import Config
from bot.doctor.finding import Finding, fail, ok, warn
from bot.voice_settings import hearing_settings, speech_settings
from voice.errors import EngineError, SpeechError
from voice.installed import missing

if TYPE_CHECKING:
    from voice.engines.voices import SpeechSettings

_INSTALL = 'Run `uv sync --extra voice`, or `pip install "papercup[voice]"`.'
_MODELS = "See what `papercup voice models` offers, and hearing.model in the configuration."


async def check_voice(config: Config) -> list[Finding]:
    """Say whether it can hear and speak in voice channels."""
    packages = await asyncio.to_thread(missing)
    if packages:
        return [judge_missing(packages)]
    installed = ok("Voice", "installed")
    hearing = await asyncio.to_thread(_check_hearing, config)
    opus = await asyncio.to_thread(_check_opus)
    return [installed, hearing, opus, await _check_speech(config)]


def judge_missing(packages: Sequence[str]) -> Finding:
    """Say what follows from packages that are not installed."""
    return warn("Voice", f"not installed, so it only writes: {', '.join(packages)}", _INSTALL)


def _check_hearing(config: Config) -> Finding:
    # Only here, as below: without the voice extra it cannot be imported.
    from voice.engines.opening import open_hearing  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="papercup-doctor-") as cache:
        settings = replace(hearing_settings(config), cache_folder=Path(cache))
        try:
            models = open_hearing(settings)
        except EngineError as error:
            return fail("Hearing", str(error), _MODELS)
    engines = (models.speech_to_text, models.voice_activity, models.end_of_turn)
    return ok("Hearing", ", ".join(engine.name for engine in engines))


def _check_opus() -> Finding:
    from voice.opus import OpusDecoder, OpusEncoder, opus_version  # noqa: PLC0415

    try:
        OpusDecoder()
        OpusEncoder()
    except EngineError as error:
        return fail("Opus", str(error), _INSTALL)
    return ok("Opus", opus_version())


async def _check_speech(config: Config) -> Finding:
    from voice.engines.voices import open_voices  # noqa: PLC0415

    settings = speech_settings(config)
    try:
        async with open_voices(replace(settings, engine=_local_engine(config))) as voices:
            local = voices.name
        if config.speech.engine not in {"auto", "edge"}:
            return ok("Speech", f"{local}, on this machine")
        return await _check_edge(settings, local)
    except EngineError as error:
        return fail("Speech", str(error), "See speech.engine in the configuration.")


async def _check_edge(settings: "SpeechSettings", local: str) -> Finding:
    from voice.engines.voices import list_voices  # noqa: PLC0415

    try:
        names = {voice.name.casefold() for voice in await list_voices(settings)}
    except SpeechError as error:
        mend = "Let this machine reach it; it is tried again now and then."
        return warn("Speech", f"{error}, so {local} speaks, on this machine", mend)
    if settings.voice.casefold() not in names:
        mend = "Set speech.voice to one that `/voice list` shows."
        return fail("Speech", f"edge-tts has no voice {settings.voice!r}", mend)
    return ok("Speech", f"edge-tts {settings.voice}, else {local}, on this machine")


def _local_engine(config: Config) -> Literal["hibari", "piper", "kokoro"]:
    """Return the engine that speaks on this machine, if only in place of the one that is wanted."""
    match config.speech.engine:
        case "auto" | "edge":
            return "hibari"
        case engine:
            return engine
