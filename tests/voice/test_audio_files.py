import wave
from pathlib import Path

import numpy as np
import pytest

from tests.fakes.real_models import recording, two_cities
from voice.audio_files import read_audio
from voice.engines.protocols import EngineError
from voice.samples import HEARING_RATE


def a_wav(path: Path, *, rate: int, channels: int, seconds: float) -> Path:
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(int(seconds * rate)) / rate)
    samples = np.repeat((tone * 32767).astype("<i2"), channels)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())
    return path


@pytest.mark.parametrize(("rate", "channels"), [(8_000, 1), (16_000, 1), (44_100, 2), (48_000, 2)])
def test_any_rate_and_number_of_channels_becomes_16_khz_mono(
    rate: int, channels: int, tmp_path: Path
) -> None:
    audio = read_audio(a_wav(tmp_path / "a.wav", rate=rate, channels=channels, seconds=1))

    assert audio.dtype == np.float32
    assert audio.size == pytest.approx(HEARING_RATE, abs=200)
    spectrum = np.abs(np.fft.rfft(audio))
    assert np.argmax(spectrum) * HEARING_RATE / audio.size == pytest.approx(440, abs=3)
    assert np.abs(audio[4_000:12_000]).max() == pytest.approx(0.5, abs=0.02)


def test_a_long_recording_is_read_to_its_end() -> None:
    assert two_cities().size == pytest.approx(44.37 * HEARING_RATE, abs=HEARING_RATE * 0.05)
    assert recording("two_cities.wav").is_file()


@pytest.mark.parametrize("content", [b"", b"no audio at all, but some text\n"])
def test_what_is_no_audio_is_an_error(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(content)

    with pytest.raises(EngineError, match=r"a\.wav cannot be read"):
        read_audio(tmp_path / "a.wav")


def test_a_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="No such file"):
        read_audio(tmp_path / "none.wav")


def test_a_recording_without_a_sample_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="holds no audio"):
        read_audio(a_wav(tmp_path / "a.wav", rate=16_000, channels=1, seconds=0))
