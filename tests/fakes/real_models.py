"""The models that come with the packages of Papercup, loaded once for all tests of a process."""

import tempfile
from functools import cache
from pathlib import Path

from voice.audio_files import read_audio
from voice.engines.moonshine import open_moonshine
from voice.engines.sherpa import SherpaSpeechToText
from voice.engines.silero import SileroVad
from voice.engines.smart_turn import SmartTurn
from voice.engines.wheel_files import file_of_package
from voice.hearing_models import HearingModels
from voice.samples import Samples


@cache
def real_models() -> HearingModels:
    return HearingModels(
        speech_to_text=moonshine(), voice_activity=SileroVad(), end_of_turn=SmartTurn()
    )


@cache
def moonshine() -> SherpaSpeechToText:
    with tempfile.TemporaryDirectory() as folder:
        return open_moonshine(Path(folder))


@cache
def two_cities() -> Samples:
    """A woman reads the beginning of A Tale of Two Cities; 44 s."""
    return read_audio(recording("two_cities.wav"))


def recording(name: str) -> Path:
    return file_of_package("moonshine_voice", "assets", name)
