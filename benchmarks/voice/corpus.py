"""What people say in the benchmark: speech that was recorded, and speech that was made."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.voice.clips import Clip, clip_of
from benchmarks.voice.prompts import INSTALL, prompts
from benchmarks.voice.sentences import SENTENCES
from simulator.discord.voice.opus import RATE
from simulator.discord.voice.speech import resampled, synthesised
from voice.audio_files import read_audio
from voice.engines.wheel_files import file_of_package
from voice.samples import HEARING_RATE, Samples

_PROMPTS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A stretch of a recording between two pauses."""

    starts: float
    ends: float
    """In seconds."""
    text: str


_TWO_CITIES = (
    _Part(starts=1.1, ends=4.65, text="It was the best of times, it was the worst of times,"),
    _Part(starts=4.9, ends=6.4, text="it was the age of wisdom,"),
    _Part(starts=6.45, ends=8.4, text="it was the age of foolishness,"),
    _Part(starts=8.6, ends=10.5, text="it was the epoch of belief,"),
    _Part(starts=10.55, ends=13.0, text="it was the epoch of incredulity,"),
    _Part(starts=13.3, ends=14.95, text="it was the season of Light,"),
    _Part(starts=14.98, ends=16.9, text="it was the season of Darkness,"),
    _Part(starts=17.4, ends=20.7, text="it was the spring of hope, it was the winter of despair,"),
    _Part(starts=21.1, ends=24.2, text="we had everything before us, we had nothing before us,"),
    _Part(starts=24.5, ends=26.25, text="we were all going direct to Heaven,"),
    _Part(starts=26.4, ends=28.5, text="we were all going direct the other way;"),
    _Part(
        starts=29.0,
        ends=32.5,
        text="in short, the period was so far like the present period,",
    ),
    _Part(
        starts=32.6,
        ends=36.75,
        text="that some of its noisiest authorities insisted on its being received,",
    ),
    _Part(
        starts=36.8,
        ends=41.9,
        text="for good or for evil, in the superlative degree of comparison only.",
    ),
)
"""The beginning of A Tale of Two Cities by Charles Dickens."""

_BECKETT = (
    _Part(starts=0.25, ends=1.6, text="Ever tried."),
    _Part(starts=1.62, ends=2.95, text="Ever failed."),
    _Part(starts=3.45, ends=4.25, text="No matter."),
    _Part(starts=4.27, ends=5.65, text="Try again."),
    _Part(starts=6.5, ends=7.6, text="Fail again."),
    _Part(starts=8.0, ends=9.1, text="Fail better."),
)
"""Of Worstward Ho by Samuel Beckett."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """All that there is to be said."""

    prompts: tuple[Clip, ...]
    """Recorded, each as it is; none if they are not installed."""
    readings: tuple[Clip, ...]
    """Recorded, and cut at the pauses."""
    synthesised: tuple[Clip, ...]

    @property
    def recorded(self) -> tuple[Clip, ...]:
        """All that somebody has really said."""
        return self.prompts + self.readings

    @property
    def whole(self) -> tuple[Clip, ...]:
        """What was not cut: somebody may pause in it."""
        return self.prompts + self.synthesised

    @property
    def source(self) -> str:
        """What was recorded, as the table tells it."""
        readings = f"{len(self.readings)} parts of two readings in moonshine-voice"
        if not self.prompts:
            return f"{readings}; for more: {INSTALL}"
        return f"{len(self.prompts)} prompts of asterisk-core-sounds-en-g722 and {readings}"


@cache
def corpus() -> Corpus:
    """Return it, made once; takes two seconds."""
    return Corpus(
        prompts=tuple(prompts(_PROMPTS)),
        readings=readings(),
        synthesised=tuple(
            clip_of(f"sentence-{number}", text, _spoken(text))
            for number, text in enumerate(SENTENCES)
        ),
    )


def readings() -> tuple[Clip, ...]:
    """Return the parts of the readings alone; takes a moment, and little memory."""
    return (*_parts("two_cities", _TWO_CITIES), *_parts("beckett", _BECKETT))


def _parts(name: str, parts: Sequence[_Part]) -> list[Clip]:
    audio = read_audio(file_of_package("moonshine_voice", "assets", f"{name}.wav"))
    return [
        clip_of(
            f"{name}-{number}",
            part.text,
            audio[round(part.starts * HEARING_RATE) : round(part.ends * HEARING_RATE)],
        )
        for number, part in enumerate(parts)
    ]


def _spoken(text: str) -> Samples:
    return np.asarray(resampled(synthesised(text), rate=RATE, to_rate=HEARING_RATE), np.float32)
