from dataclasses import replace
from pathlib import Path

import pytest

from voice.engines.opening import OpenHearing, open_speech_to_text
from voice.engines.protocols import EngineError
from voice.hearing_settings import HearingSettings


def settings(folder: Path) -> HearingSettings:
    return HearingSettings(models_folder=folder / "models", cache_folder=folder / "cache")


def test_the_models_are_loaded_once(tmp_path: Path) -> None:
    hearing = OpenHearing(settings(tmp_path))

    models = hearing.models()

    assert hearing.models() is models
    assert [models.speech_to_text.name, models.voice_activity.name, models.end_of_turn.name] == [
        "moonshine-tiny-en (sherpa-onnx)",
        "Silero VAD",
        "smart-turn v3.2",
    ]


def test_after_an_error_the_next_who_asks_tries_again(tmp_path: Path) -> None:
    hearing = OpenHearing(settings(tmp_path))
    blocked = tmp_path / "cache"
    blocked.touch()
    with pytest.raises(EngineError, match="cannot be written"):
        hearing.models()

    blocked.unlink()

    assert hearing.models().speech_to_text.language == "en"


def test_a_model_is_not_asked_for_a_language_that_it_does_not_know(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="does not understand the language 'de'"):
        open_speech_to_text(replace(settings(tmp_path), language="de"))


def test_a_model_that_is_missing_is_an_error_that_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="papercup voice install parakeet"):
        open_speech_to_text(
            replace(settings(tmp_path), model="parakeet-tdt-0.6b-v3", language="de")
        )
