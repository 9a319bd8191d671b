"""Text to speech by Piper, where the operator has installed it.

It is under the GPL-3, and so no dependency of Papercup.
"""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from voice.engines.local_speech import LocalSpeech
from voice.engines.protocols import EngineError
from voice.samples import Samples


def open_piper(model_path: Path | None) -> LocalSpeech:
    """Load a voice of Piper, and return what speaks with it; call it in a thread.

    Args:
        model_path: Its `.onnx` file; its `.onnx.json` file stands beside it.

    Raises:
        EngineError: If Piper is not installed, or the voice cannot be loaded.
    """
    if model_path is None:
        raise EngineError("piper needs a voice: set speech.model to its .onnx file")
    try:
        # By its name: it is in no list of what is installed here, nor are its types.
        piper = importlib.import_module("piper")
    except ImportError as error:
        raise EngineError("piper is not installed; add it with: pip install piper-tts") from error
    try:
        model: Any = piper.PiperVoice.load(str(model_path))
        rate = int(model.config.sample_rate)
    except Exception as error:
        raise EngineError(f"piper cannot load {model_path}: {error}") from error

    def parts(text: str) -> Iterator[Samples]:
        for chunk in model.synthesize(text):
            yield cast("Samples", chunk.audio_float_array)

    return LocalSpeech(f"piper {model_path.stem}", rate, parts)
