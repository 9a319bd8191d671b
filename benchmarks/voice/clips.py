"""What people say, as audio, and as the packets that their clients would send."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.discord.voice.opus import RATE as SENT_RATE
from simulator.discord.voice.opus import encoded
from simulator.discord.voice.speech import resampled
from voice.samples import HEARING_RATE, Samples

_LOUDNESS = 0.08
"""How loud people are on average: -22 dB, as usual after a client's own control."""
_WINDOW_SAMPLES = HEARING_RATE // 50
_SOUND_SHARE = 0.03
"""Of the loudest moment, what counts as sound: 30 dB under it."""
_MARGIN_SAMPLES = HEARING_RATE // 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """Something that one person says."""

    name: str
    text: str
    """Word for word."""
    audio: Samples
    """Of `HEARING_RATE`; begins and ends with the sound of the voice."""

    @property
    def seconds(self) -> float:
        """How long it takes to say."""
        return self.audio.size / HEARING_RATE


def clip_of(name: str, text: str, audio: Samples) -> Clip:
    """Make a clip of a recording: without the silence around it, and as loud as all others."""
    trimmed = audio[slice(*_sound(audio))]
    loudness = float(np.sqrt(np.mean(np.square(trimmed))))
    return Clip(name=name, text=text, audio=trimmed * np.float32(_LOUDNESS / loudness))


def packets_of(audio: Samples) -> Sequence[bytes]:
    """Return audio of `HEARING_RATE` as a client of Discord sends it: stereo Opus, 64 kbit/s.

    The encoder is not the bot's own.
    """
    return encoded(resampled(audio, rate=HEARING_RATE, to_rate=SENT_RATE))


def envelope(audio: Samples) -> Samples:
    """Return how loud each moment of 20 ms is."""
    window = np.ones(_WINDOW_SAMPLES, np.float32) / _WINDOW_SAMPLES
    return np.asarray(np.sqrt(np.convolve(np.square(audio), window, "same")), np.float32)


def _sound(audio: Samples) -> tuple[int, int]:
    loud = envelope(audio)
    (sound,) = np.nonzero(loud > _SOUND_SHARE * float(loud.max()))
    if not sound.size:
        raise ValueError("there is nothing to be heard")
    return max(0, int(sound[0]) - _MARGIN_SAMPLES), int(sound[-1]) + 1
