"""Speech to text by sherpa-onnx: all that is used of that package."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, cast

from voice.engines.loops import without_loops
from voice.errors import EngineError
from voice.samples import HEARING_RATE, Samples

_LEAST_SAMPLES = HEARING_RATE // 10
"""With less, some models fail."""


class SherpaSpeechToText:
    """Writes down what is said, on one thread; several may call it at once."""

    def __init__(self, name: str, language: str, recognizer: "Recognizer") -> None:
        self.name = name
        self.language = language
        self._recognizer = recognizer

    def transcribe(self, audio: Samples) -> str:
        """Return what is said in audio of `HEARING_RATE`; empty if nothing is.

        Raises:
            EngineError: If the model failed.
        """
        if audio.size < _LEAST_SAMPLES:
            return ""
        return without_loops(self._recognizer.text_of(audio))


class Recognizer:
    """A model that was loaded by sherpa-onnx."""

    def __init__(self, factory: str, files: Mapping[str, str], **options: str) -> None:
        """Load a model, to run on one thread: several people are heard side by side instead.

        Some broken models end the whole process here: `trial` finds that out before.

        Args:
            factory: Which function of `OfflineRecognizer` makes it, as `from_whisper`.
            files: The model's files, by the names that this function gives them.
            options: What else this function is told.

        Raises:
            EngineError: If it cannot be loaded.
        """
        try:
            # Not above: it takes 0.2 s, and it has no types that could be looked at.
            package = import_module("sherpa_onnx")
            make: Callable[..., Any] = getattr(package.OfflineRecognizer, factory)
            self._recognizer = make(**files, **options, num_threads=1)
        except Exception as error:
            names = ", ".join(sorted(files.values()))
            raise EngineError(f"the model in {names} cannot be loaded: {error}") from error

    def text_of(self, audio: Samples) -> str:
        """Return what is said.

        Raises:
            EngineError: If the model failed.
        """
        try:
            stream = self._recognizer.create_stream()
            stream.accept_waveform(HEARING_RATE, audio)
            self._recognizer.decode_stream(stream)
            return cast("str", stream.result.text)
        except UnicodeDecodeError:
            # Some models spell what they hardly understood in bytes, which may then make no sense.
            return ""
        except Exception as error:
            raise EngineError(f"speech to text failed: {error}") from error
