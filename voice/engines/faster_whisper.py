"""Speech to text by faster-whisper, if it is installed; it is no dependency of Papercup."""

import importlib
from pathlib import Path
from typing import Any, cast

from voice.engines.loops import without_loops
from voice.errors import EngineError
from voice.samples import Samples

_INSTALL = "faster-whisper is not installed; add it with `uv pip install faster-whisper`"


class FasterWhisper:
    """Writes down what is said; several may call it at once, up to the number it was opened for."""

    def __init__(self, model: str, language: str, callers: int) -> None:
        """Load a model that is on this machine already.

        Args:
            model: A name that faster-whisper knows, as `base`, or the folder of a model.
            language: The language that is spoken; `auto` if the model is to find out.
            callers: How many may use it at the same time.

        Raises:
            EngineError: If faster-whisper or the model is missing, or the model is broken.
        """
        self.name = f"{Path(model).name} (faster-whisper)"
        self.language = "*" if language == "auto" else language
        self._told = None if language == "auto" else language
        make = _model_class()
        try:
            self._model = make(
                model,
                device="cpu",
                compute_type="int8",
                cpu_threads=1,
                num_workers=callers,
                # Nothing is downloaded unasked, and before anybody has seen how large it is.
                local_files_only=True,
            )
        except Exception as error:  # what it raises for a missing model differs between versions
            fetch = f"python -c 'import faster_whisper as f; f.download_model(\"{model}\")'"
            raise EngineError(
                f"faster-whisper cannot load {model}: {error}. If it is missing, run: {fetch}"
            ) from error

    def transcribe(self, audio: Samples) -> str:
        """Return what is said in audio of `HEARING_RATE`; empty if nothing is.

        Raises:
            EngineError: If the model failed.
        """
        try:
            segments, _ = self._model.transcribe(
                audio,
                language=self._told,
                beam_size=1,
                temperature=0.0,
                condition_on_previous_text=False,
                without_timestamps=True,
            )
            # They are made while they are read.
            texts = [cast("str", segment.text).strip() for segment in segments]
        except Exception as error:
            raise EngineError(f"speech to text failed: {error}") from error
        return without_loops(" ".join(texts))


def _model_class() -> Any:
    try:
        return importlib.import_module("faster_whisper").WhisperModel
    except ImportError as error:
        raise EngineError(_INSTALL) from error
