"""The features of a sound that Whisper's encoder, and with it smart-turn, looks at.

A log-mel spectrogram as in OpenAI's Whisper (`whisper/audio.py`) with the filters of Slaney's
Auditory Toolbox, of the last 8 seconds and of a waveform of mean 0 and variance 1.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from voice.samples import HEARING_RATE, Samples

WINDOW_SECONDS = 8
BANDS = 80
FRAMES = 800
"""Of 10 ms."""

_WINDOW_SAMPLES = WINDOW_SECONDS * HEARING_RATE
_FFT_SAMPLES = 400
_HOP_SAMPLES = 160
_VARIANCE_FLOOR = 1e-7
_POWER_FLOOR = 1e-10
_RANGE_DECADES = 8.0

_Array: TypeAlias = npt.NDArray[np.float64]


def log_mel(audio: Samples) -> Samples:
    """Return the features of the end of some audio: `BANDS` rows of `FRAMES`.

    Args:
        audio: Of `HEARING_RATE`. If it is short, silence is put before it.
    """
    heard = audio[-_WINDOW_SAMPLES:]
    padding = _WINDOW_SAMPLES - heard.size
    mean, deviation = _moments(heard)
    level = (heard - mean) / deviation
    powers = _powers(level.astype(np.float64), padding, -mean / deviation)
    decades = np.log10(np.maximum(_POWER_FLOOR, powers @ _FILTERS)).T
    ranged = np.maximum(decades, decades.max() - _RANGE_DECADES)
    return np.asarray((ranged + 4.0) / 4.0, np.float32)


def _moments(heard: Samples) -> tuple[float, float]:
    """Return mean and standard deviation of the whole window, silence included."""
    wide = heard.astype(np.float64)
    mean = float(wide.sum()) / _WINDOW_SAMPLES
    variance = float(np.dot(wide, wide)) / _WINDOW_SAMPLES - mean * mean
    return mean, float(np.sqrt(variance + _VARIANCE_FLOOR))


def _powers(level: _Array, padding: int, padding_level: float) -> _Array:
    """Return the power spectrum of each frame, one row for each.

    The middle of frame number n is at sample n * `_HOP_SAMPLES`; beyond both ends the window is
    mirrored. All frames within the silence are alike, so one of them is enough: with two seconds
    of speech that saves three quarters of the work.
    """
    reach = _FFT_SAMPLES // 2
    quiet_frames = max(0, (padding - reach) // _HOP_SAMPLES)
    from_sample = quiet_frames * _HOP_SAMPLES - reach
    silence = np.full(padding - max(0, from_sample), padding_level)
    mirrored = np.pad(
        np.concatenate([silence, level]), (max(0, -from_sample), reach), mode="reflect"
    )
    frames = np.lib.stride_tricks.sliding_window_view(mirrored, _FFT_SAMPLES)[::_HOP_SAMPLES]
    loud = _spectrum(frames[: FRAMES - quiet_frames])
    if not quiet_frames:
        return loud
    quiet = _spectrum(np.full((1, _FFT_SAMPLES), padding_level))
    return np.concatenate([np.repeat(quiet, quiet_frames, axis=0), loud])


def _spectrum(frames: _Array) -> _Array:
    spectrum = np.fft.rfft(frames * _HANN, axis=-1)
    return spectrum.real**2 + spectrum.imag**2


def _mels(hertz: float) -> float:
    """Slaney's scale: even up to 1000 Hz, logarithmic above."""
    return hertz * 3 / 200 if hertz < 1000 else 15 + 27 * float(np.log(hertz / 1000) / np.log(6.4))  # noqa: PLR2004


def _hertz(mels: _Array) -> _Array:
    return np.where(mels < 15, mels * 200 / 3, 1000 * np.exp((mels - 15) * np.log(6.4) / 27))  # noqa: PLR2004


def _filters() -> _Array:
    """Return the triangles, each with an area of one: a row for each frequency."""
    corners = _hertz(np.linspace(0.0, _mels(HEARING_RATE / 2), BANDS + 2))
    low, middle, high = corners[:-2], corners[1:-1], corners[2:]
    hertz = np.linspace(0.0, HEARING_RATE / 2, _FFT_SAMPLES // 2 + 1)[:, None]
    rising = (hertz - low) / (middle - low)
    falling = (high - hertz) / (high - middle)
    return np.maximum(0.0, np.minimum(rising, falling)) * 2 / (high - low)


_FILTERS = _filters()
_HANN = np.hanning(_FFT_SAMPLES + 1)[:-1]
