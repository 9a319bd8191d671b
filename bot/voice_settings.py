"""What of the configuration `voice` has to know."""

from typing import TYPE_CHECKING

from bot.config import Config
from bot.data_folder import DataFolder
from voice.hearing_settings import HearingSettings

if TYPE_CHECKING:
    from voice.engines.voices import SpeechSettings


def hearing_settings(config: Config) -> HearingSettings:
    """Return which models hear, and where they are."""
    folder = DataFolder(config.data_dir)
    return HearingSettings(
        engine=config.hearing.engine,
        model=config.hearing.model,
        language=config.hearing.language,
        callers=config.hearing.threads,
        models_folder=folder.models,
        cache_folder=folder.model_cache,
    )


def speech_settings(config: Config) -> "SpeechSettings":
    """Return what speaks; needs what `papercup[voice]` installs."""
    # Only here: it imports numpy.
    from voice.engines.voices import SpeechSettings  # noqa: PLC0415

    return SpeechSettings(
        engine=config.speech.engine,
        voice=config.speech.voice,
        rate=config.speech.rate,
        volume=config.speech.volume,
        model=config.speech.model,
        edge_url=config.endpoints.edge_tts,
    )
