"""The voices that are made on this machine."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.fakes.speaking import hum
from voice.engines.hibari import HIBARI_NAME, open_hibari
from voice.engines.kokoro import open_kokoro
from voice.engines.local_speech import LocalSpeech
from voice.engines.piper import open_piper
from voice.engines.protocols import EngineError, SpeechError, SpokenAudio
from voice.samples import SPEECH_RATE, Samples


async def audio_of(speech: LocalSpeech, text: str) -> list[Samples]:
    return [item.samples async for item in speech.speak(text) if isinstance(item, SpokenAudio)]


async def test_hibari_speaks_the_same_text_alike_each_time() -> None:
    speech = open_hibari()
    first, second = [await audio_of(speech, "Sure, I can do that.") for _ in range(2)]
    audio = np.concatenate(first)
    assert speech.name == HIBARI_NAME
    assert 1.0 < len(audio) / SPEECH_RATE < 3.0
    assert 0.1 < float(np.max(np.abs(audio))) < 1.0
    np.testing.assert_array_equal(audio, np.concatenate(second))


async def test_audio_comes_in_pieces_that_take_little_to_handle() -> None:
    pieces = await audio_of(open_hibari(), "Sure, I can do that for you right away.")
    assert max(len(piece) for piece in pieces) <= SPEECH_RATE // 5


@pytest.mark.parametrize("text", ["", "你好"])
async def test_where_hibari_finds_nothing_to_say_is_an_error(text: str) -> None:
    with pytest.raises(SpeechError, match="nothing in the text"):
        await audio_of(open_hibari(), text)


async def test_a_model_that_breaks_is_an_error() -> None:
    def broken(_text: str) -> Iterator[Samples]:
        yield hum(0.1)
        raise ZeroDivisionError("the model is broken")

    with pytest.raises(SpeechError, match="broken model failed: the model is broken"):
        await audio_of(LocalSpeech("broken model", 24_000, broken), "One.")


async def test_audio_of_another_rate_keeps_its_length_and_its_loudness() -> None:
    rate = 22_050
    tone = (0.2 * np.sin(2 * np.pi * 220 * np.arange(rate) / rate)).astype(np.float32)
    speech = LocalSpeech("low", rate, lambda _text: iter([tone, tone]))
    audio = np.concatenate(await audio_of(speech, "One."))
    assert len(audio) == pytest.approx(2 * SPEECH_RATE, abs=50)
    assert float(np.max(np.abs(audio[1000:-1000]))) == pytest.approx(0.2, rel=0.02)


def test_piper_and_kokoro_need_their_files() -> None:
    with pytest.raises(EngineError, match=r"speech\.model"):
        open_piper(None)
    with pytest.raises(EngineError, match=r"speech\.model"):
        open_kokoro(None, "af_heart")


@pytest.mark.skipif(importlib.util.find_spec("piper") is not None, reason="piper is installed")
def test_where_piper_is_missing_it_is_told_how_to_add_it(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="pip install piper-tts"):
        open_piper(tmp_path / "voice.onnx")


@pytest.mark.skipif(importlib.util.find_spec("kokoro_onnx") is not None, reason="it is installed")
def test_where_kokoro_is_missing_it_is_told_how_to_add_it(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="pip install kokoro-onnx"):
        open_kokoro(tmp_path, "af_heart")


@pytest.mark.parametrize("voice", ["en-US-AvaNeural", "heart", "xf_nobody"])
def test_kokoro_takes_only_names_of_its_own(tmp_path: Path, voice: str) -> None:
    with pytest.raises(EngineError, match="af_heart"):
        open_kokoro(tmp_path, voice)
