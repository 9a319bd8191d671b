"""What people say: text spoken by a shipped voice, WAV files, tones; and writing what was heard."""

import functools
import wave
from pathlib import Path
from typing import Protocol, cast

import numpy as np

from simulator.discord.voice.opus import RATE, Samples

_FULL_SCALE = 32_767
_SAMPLE_BYTES = 2
_QUIET = 0.01
"""Below this it is silence: 40 dB under full scale."""
_KEPT_SECONDS = 0.02
_SEED = 11


class _Voice(Protocol):
    sample_rate: int

    def __call__(self, text: str, speed: float = 1.0, seed: int | None = None) -> Samples: ...


@functools.lru_cache(maxsize=64)
def synthesised(text: str, *, speed: float = 1.0) -> Samples:
    """Return a text as the voice in the package `hibari-tts` says it, at 48 kHz.

    The silence around it is cut off: it begins and ends when somebody is heard.
    """
    voice = _voice()
    return trimmed(resampled(voice(text, speed, _SEED), rate=voice.sample_rate))


def tone(hertz: float, seconds: float, *, loudness: float = 0.4) -> Samples:
    """Return a tone at 48 kHz."""
    times = np.arange(round(seconds * RATE)) / RATE
    return (loudness * np.sin(2 * np.pi * hertz * times)).astype(np.float32)


def silence(seconds: float) -> Samples:
    """Return silence at 48 kHz."""
    return np.zeros(round(seconds * RATE), np.float32)


def resampled(samples: Samples, *, rate: int, to_rate: int = RATE) -> Samples:
    """Return audio at another rate; frequencies that it cannot hold are taken out."""
    if rate == to_rate or not len(samples):
        return samples
    count = round(len(samples) * to_rate / rate)
    spectrum = np.fft.rfft(samples)
    wanted = np.zeros(count // 2 + 1, spectrum.dtype)
    kept = min(len(spectrum), len(wanted))
    wanted[:kept] = spectrum[:kept]
    return (np.fft.irfft(wanted, count) * (count / len(samples))).astype(np.float32)


def trimmed(samples: Samples) -> Samples:
    """Return audio at 48 kHz without the silence at both ends, but for 20 ms."""
    (loud,) = np.nonzero(np.abs(samples) > _QUIET)
    if not len(loud):
        return samples[:0]
    margin = round(_KEPT_SECONDS * RATE)
    return samples[max(0, int(loud[0]) - margin) : int(loud[-1]) + margin]


def read_wav(path: Path) -> Samples:
    """Return a WAV file of 16 bits at 48 kHz; several channels are mixed.

    Raises:
        ValueError: If its samples have another size.
    """
    with wave.open(str(path), "rb") as file:
        if file.getsampwidth() != _SAMPLE_BYTES:
            raise ValueError(f"{path}: samples of {file.getsampwidth()} bytes, not of 2")
        data = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        channels, rate = file.getnchannels(), file.getframerate()
    mono = data.reshape(-1, channels).mean(axis=1, dtype=np.float32) / (_FULL_SCALE + 1)
    return resampled(mono.astype(np.float32), rate=rate)


def write_wav(path: Path, samples: Samples, *, rate: int = RATE) -> None:
    """Write audio to a WAV file of 16 bits."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(_SAMPLE_BYTES)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1, 1) * _FULL_SCALE).astype("<i2").tobytes())


@functools.cache
def _voice() -> _Voice:
    # It loads a model, which few need; it tells no types.
    import hibari  # type: ignore[import-untyped]  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]

    return cast("_Voice", hibari.Hibari())
