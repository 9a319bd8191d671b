"""Text to speech by Kokoro, where the operator has installed it.

What turns text into its phonemes is under the GPL-3, and so no dependency of Papercup.
"""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from voice.engines.local_speech import LocalSpeech
from voice.engines.protocols import EngineError
from voice.samples import Samples

_RATE = 24_000
_VOICE = re.compile(r"([a-z])[fm]_\w+")
_LANGUAGES = {
    "a": "en-us",
    "b": "en-gb",
    "e": "es",
    "f": "fr-fr",
    "h": "hi",
    "i": "it",
    "j": "ja",
    "p": "pt-br",
    "z": "cmn",
}
"""By the first letter of a voice's name."""


def open_kokoro(folder: Path | None, voice: str) -> LocalSpeech:
    """Load Kokoro, and return what speaks with one of its voices; call it in a thread.

    Args:
        folder: Where its `.onnx` and its `voices*.bin` file are.
        voice: As `af_heart`.

    Raises:
        EngineError: If it is not installed, has no such voice, or cannot be loaded.
    """
    if folder is None:
        raise EngineError("kokoro needs its files: set speech.model to their folder")
    found = _VOICE.fullmatch(voice)
    language = _LANGUAGES.get(found[1]) if found else None
    if language is None:
        raise EngineError(f"kokoro has no voice {voice!r}; set speech.voice to one like af_heart")
    try:
        # By its name: it is in no list of what is installed here, nor are its types.
        kokoro_onnx = importlib.import_module("kokoro_onnx")
    except ImportError as error:
        raise EngineError("kokoro is not installed; add it: pip install kokoro-onnx") from error
    model_path, voices_path = _file(folder, "*.onnx"), _file(folder, "voices*.bin")
    try:
        model: Any = kokoro_onnx.Kokoro(str(model_path), str(voices_path))
        known = set(cast("list[str]", model.get_voices()))
    except Exception as error:
        raise EngineError(f"kokoro cannot load {model_path}: {error}") from error
    if voice not in known:
        raise EngineError(f"kokoro has no voice {voice!r}; it has {', '.join(sorted(known))}")

    def parts(text: str) -> Iterator[Samples]:
        samples, _ = model.create(text, voice=voice, lang=language)
        yield cast("Samples", samples)

    return LocalSpeech(f"kokoro {voice}", _RATE, parts)


def _file(folder: Path, pattern: str) -> Path:
    paths = sorted(folder.glob(pattern))
    if not paths:
        raise EngineError(f"kokoro: there is no {pattern} in {folder}")
    return paths[0]
