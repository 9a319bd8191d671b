"""What may be the matter with what people send: noise, and packets that are lost."""

from random import Random

import numpy as np

from benchmarks.voice.clips import Clip, packets_of
from benchmarks.voice.people_program import MOST_JITTER_SECONDS, SILENCE_FRAMES
from benchmarks.voice.simulated_hearing import Arrival
from voice.events import SILENCE
from voice.link import PACKET_SECONDS
from voice.samples import HEARING_RATE, Samples

_AROUND_SECONDS = 0.3
"""How much noise there is before and after what is said."""


def in_noise(clip: Clip, *, decibels: float, seed: int) -> Samples:
    """Return a clip in pink noise, which is so much softer than the voice."""
    around = np.zeros(round(_AROUND_SECONDS * HEARING_RATE), np.float32)
    audio = np.concatenate([around, clip.audio, around])
    noise = _pink(audio.size, seed)
    wanted = _loudness(clip.audio) * 10 ** (-decibels / 20)
    return np.asarray(audio + noise * np.float32(wanted / _loudness(noise)), np.float32)


def arrivals(audio: Samples, *, loss: float = 0.0, seed: int) -> list[Arrival]:
    """Return the packets of some audio as they come in: late by 0 to 12 ms, and not all of them.

    The first sample is said at 0; a packet is sent once all of it was said.

    Args:
        audio: Of `HEARING_RATE`.
        loss: How much is lost, from 0 to 1; which packets, is left to chance.
        seed: Decides on that, and on the delays.
    """
    random = Random(seed)  # noqa: S311 - no secret
    sent = [*packets_of(audio), *[SILENCE] * SILENCE_FRAMES]
    return [
        Arrival(
            opus=opus,
            number=number,
            at=(number + 1) * PACKET_SECONDS + random.uniform(0, MOST_JITTER_SECONDS),
        )
        for number, opus in enumerate(sent)
        if random.random() >= loss
    ]


def _pink(size: int, seed: int) -> Samples:
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(size))
    shaped = spectrum / np.sqrt(np.arange(1, spectrum.size + 1))
    return np.asarray(np.fft.irfft(shaped, size), np.float32)


def _loudness(audio: Samples) -> float:
    return float(np.sqrt(np.mean(np.square(audio))))
