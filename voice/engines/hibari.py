"""Text to speech by hibari: an English voice that came inside its package, made on this machine."""

import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, cast

from voice.engines.heap import tidy_heap
from voice.engines.local_speech import LocalSpeech
from voice.engines.protocols import EngineError
from voice.samples import Samples

HIBARI_NAME = "hibari heart"
_SEED = 0
"""The same text sounds the same each time."""
_loading = threading.Lock()


def open_hibari() -> LocalSpeech:
    """Load the voice, once per process, and return what speaks with it; call it in a thread.

    Raises:
        EngineError: If it is not installed, or cannot be loaded.
    """
    with _loading:
        model = _model()

    def parts(text: str) -> Iterator[Samples]:
        return cast("Iterator[Samples]", model.stream(text, seed=_SEED))

    return LocalSpeech(HIBARI_NAME, model.sample_rate, parts)


@cache
def _model() -> Any:
    try:
        # Only here: importing it takes a while, and what a broken installation raises varies.
        import hibari  # type: ignore[import-untyped]  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

        # mypy reads the package as untyped.
        model = cast("Callable[..., Any]", hibari.Hibari)(threads=1)
        # Its dictionaries are loaded with the first text.
        model("Ready.", seed=_SEED)
    except Exception as error:
        raise EngineError(
            f"the voice hibari cannot be loaded ({error}); install it: uv sync --extra voice"
        ) from error
    tidy_heap()
    return model
