"""With a stand-in for the package, which is not installed here."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from voice.engines.faster_whisper import FasterWhisper
from voice.engines.protocols import EngineError
from voice.samples import HEARING_RATE

AUDIO = np.zeros(HEARING_RATE, np.float32)

PACKAGE = """
class Segment:
    def __init__(self, text):
        self.text = text

class WhisperModel:
    def __init__(self, model, *, device, compute_type, cpu_threads, num_workers, local_files_only):
        if model == "missing":
            raise ValueError("no such model on this machine")
        assert (device, compute_type, cpu_threads) == ("cpu", "int8", 1)
        assert local_files_only

    def transcribe(self, audio, *, language, beam_size, temperature, condition_on_previous_text,
                   without_timestamps):
        return (Segment(text) for text in self.texts(audio, language)), None

    def texts(self, audio, language):
        if not len(audio):
            raise RuntimeError("no audio")
        yield f" It is {language}. "
        yield f" {len(audio)} samples."
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "faster_whisper.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("faster_whisper", None)


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(("language", "told", "known"), [("de", "de", "de"), ("auto", "None", "*")])
def test_it_writes_down_what_is_said(language: str, told: str, known: str) -> None:
    engine = FasterWhisper("base", language, 2)

    assert engine.transcribe(AUDIO) == f"It is {told}. 16000 samples."
    assert (engine.name, engine.language) == ("base (faster-whisper)", known)


@pytest.mark.usefixtures("package")
def test_a_model_that_is_missing_is_an_error_that_says_how_to_get_it() -> None:
    with pytest.raises(EngineError, match=r"no such model.*download_model\(\"missing\"\)"):
        FasterWhisper("missing", "en", 1)


@pytest.mark.usefixtures("package")
def test_an_error_while_it_writes_is_told_as_one_of_the_engine() -> None:
    with pytest.raises(EngineError, match="speech to text failed: no audio"):
        FasterWhisper("base", "en", 1).transcribe(AUDIO[:0])


def test_without_the_package_it_is_said_how_to_add_it() -> None:
    with pytest.raises(EngineError, match="uv pip install faster-whisper"):
        FasterWhisper("base", "en", 1)
