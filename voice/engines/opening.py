"""Opens the models that hear, as the configuration names them."""

import threading

import numpy as np

from voice.engines import moonshine
from voice.engines.faster_whisper import FasterWhisper
from voice.engines.heap import tidy_heap
from voice.engines.local_models import open_local_model
from voice.engines.protocols import SpeechToText
from voice.engines.silero import SileroVad
from voice.engines.smart_turn import SmartTurn
from voice.errors import EngineError
from voice.hearing_models import HearingModels
from voice.hearing_settings import HearingSettings
from voice.known_models import known_model, understands
from voice.samples import HEARING_RATE


class OpenHearing:
    """Opens the models when they are first needed, and then keeps them for all who ask."""

    def __init__(self, settings: HearingSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._models: HearingModels | None = None

    def models(self) -> HearingModels:
        """Return the models; blocks for a second the first time. For worker threads.

        Raises:
            EngineError: If one is missing or broken; the next call tries again.
        """
        with self._lock:
            if self._models is None:
                self._models = open_hearing(self._settings)
            return self._models


def open_hearing(settings: HearingSettings) -> HearingModels:
    """Load the models, and try each out; blocks for a second. For worker threads.

    Raises:
        EngineError: If one is missing or broken; it says what to do about that.
    """
    models = HearingModels(
        speech_to_text=open_speech_to_text(settings),
        voice_activity=SileroVad(),
        end_of_turn=SmartTurn(),
    )
    tidy_heap()
    return models


def open_speech_to_text(settings: HearingSettings) -> SpeechToText:
    """Load the model that writes down what is said, and try it out.

    Raises:
        EngineError: If it is missing or broken, or does not know the language.
    """
    engine = _engine(settings)
    engine.transcribe(np.zeros(HEARING_RATE, np.float32))
    return engine


def _engine(settings: HearingSettings) -> SpeechToText:
    if settings.engine == "faster-whisper":
        return FasterWhisper(settings.model, settings.language, settings.callers)
    known = known_model(settings.model)
    if known is not None and not understands(known, settings.language):
        raise EngineError(
            f"{settings.model} does not understand the language {settings.language!r};"
            " `papercup voice models` shows which models do"
        )
    if settings.model == moonshine.MODEL:
        return moonshine.open_moonshine(settings.cache_folder)
    return open_local_model(
        settings.model,
        language=settings.language,
        models_folder=settings.models_folder,
        cache_folder=settings.cache_folder,
    )
