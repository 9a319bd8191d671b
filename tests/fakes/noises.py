"""Sounds without speech: 24 clips of three seconds, made of numbers."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from voice.samples import SPEECH_RATE, Samples

Sound = npt.NDArray[Any]

_SECONDS = 3
_COUNT = _SECONDS * SPEECH_RATE
_TIMES: Sound = np.arange(_COUNT) / SPEECH_RATE


@cache
def clips() -> Mapping[str, Samples]:
    """Return the clips, by what is heard in them."""
    rng = np.random.default_rng(7)
    made: dict[str, Sound] = {
        "silence": np.zeros(_COUNT),
        "dither": rng.normal(0, 3e-5, _COUNT),
        "offset": np.full(_COUNT, 0.1),
        "white noise, soft": rng.normal(0, 0.003, _COUNT),
        "white noise, loud": rng.normal(0, 0.1, _COUNT),
        "pink noise": 0.1 * _coloured(rng, 1.0),
        "brown noise": 0.2 * _coloured(rng, 2.0),
        "fan": 0.05 * _coloured(rng, 1.0) + 0.05 * _tone(118.0) + 0.02 * _tone(236.0),
        "wind": 0.2 * _coloured(rng, 2.0) * (1 + _tone(0.4)),
        "rain": _clicks(rng, per_second=400, seconds=0.002, loudness=0.1),
        "hum of 50 Hz": 0.1 * _tone(50.0) + 0.05 * _tone(150.0) + 0.02 * _tone(250.0),
        "hum of 60 Hz": 0.2 * _tone(60.0) + 0.1 * _tone(120.0),
        "whistle": 0.1 * _tone(1_000.0),
        "siren": 0.1 * np.sin(2 * np.pi * (700 * _TIMES - 40 * np.cos(2 * np.pi * _TIMES))),
        "telephone": 0.1 * (_tone(440.0) + _tone(480.0)) * (_TIMES % 1.0 < 0.4),
        "keys, slowly": _clicks(rng, per_second=4, seconds=0.02, loudness=0.5),
        "keys, fast": _clicks(rng, per_second=11, seconds=0.015, loudness=0.4),
        "mouse": _clicks(rng, per_second=1.5, seconds=0.004, loudness=0.7),
        "knocking": _clicks(rng, per_second=3, seconds=0.08, loudness=0.8, power=2.0),
        "breath": 0.1 * _coloured(rng, 0.7) * np.clip(_tone(0.33), 0, 1),
        "breath into the microphone": 0.5 * _coloured(rng, 2.0) * np.clip(_tone(0.5), 0, 1) ** 3,
        "chords": 0.1 * (_tone(220.0) + _tone(277.2)) + 0.05 * (_tone(329.6) + _tone(440.0)),
        "plucked strings": _melody(decay=4.0),
        "drums": _clicks(rng, per_second=4, seconds=0.15, loudness=0.8, power=1.5),
    }
    return {name: np.clip(sound, -1, 1).astype(np.float32) for name, sound in made.items()}


def _tone(pitch_hz: float) -> Sound:
    wave: Sound = np.sin(2 * np.pi * pitch_hz * _TIMES)
    return wave


def _coloured(rng: np.random.Generator, power: float) -> Sound:
    """Return noise whose energy falls with the frequency to some power; 1 is pink."""
    spectrum = np.fft.rfft(rng.normal(0, 1, _COUNT))
    frequencies = np.maximum(np.fft.rfftfreq(_COUNT, 1 / SPEECH_RATE), 20.0)
    sound = np.fft.irfft(spectrum / frequencies ** (power / 2), _COUNT)
    even: Sound = sound / np.abs(sound).max()
    return even


def _clicks(
    rng: np.random.Generator,
    *,
    per_second: float,
    seconds: float,
    loudness: float,
    power: float = 0.0,
) -> Sound:
    """Return short bursts of noise that fade, at uneven times."""
    sound, noise = np.zeros(_COUNT), _coloured(rng, power)
    length = round(seconds * SPEECH_RATE)
    fading = np.exp(-np.arange(length) / (length / 4))
    for at in rng.integers(0, _COUNT - length, round(per_second * _SECONDS)):
        burst = noise[at : at + length]
        sound[at : at + length] += burst / np.abs(burst).max() * fading
    return loudness * sound


def _melody(decay: float) -> Sound:
    sound, length = np.zeros(_COUNT), SPEECH_RATE // 4
    times = np.arange(length) / SPEECH_RATE
    for step in range(_COUNT // length):
        pitch_hz = 220.0 * 2 ** ((0, 4, 7, 12, 7, 4)[step % 6] / 12)
        note = sum(np.sin(2 * np.pi * pitch_hz * n * times) / n for n in range(1, 6))
        sound[step * length : (step + 1) * length] = 0.1 * note * np.exp(-decay * times)
    return sound
