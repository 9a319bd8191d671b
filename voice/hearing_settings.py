"""Which models hear, as data. Pure."""

from dataclasses import dataclass
from pathlib import Path

from voice.known_models import DEFAULT_MODEL, Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class HearingSettings:
    """Which models hear, and where they are."""

    engine: Engine = "sherpa-onnx"
    model: str = DEFAULT_MODEL
    """The name of one that Papercup knows, or of a folder in `models_folder`, or a path."""
    language: str = "en"
    """The language that is spoken; `auto`: whichever it is."""
    callers: int = 2
    """How many utterances are written down at the same time."""
    models_folder: Path
    """Where models stand that were downloaded; need not exist."""
    cache_folder: Path
    """Where is kept what is made of models; need not exist."""
