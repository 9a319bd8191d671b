"""How many words are heard wrongly, and who is interrupted by the bot; as fast as can be."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from benchmarks.rows import Row, Target
from benchmarks.voice.clips import Clip
from benchmarks.voice.conditions import arrivals, in_noise
from benchmarks.voice.corpus import corpus
from benchmarks.voice.simulated_hearing import Arrival, SimulatedHearing, hear
from benchmarks.voice.stage import MODEL_THREADS, models
from benchmarks.voice.word_errors import WordErrors, errors_in, total
from voice.hearing_models import HearingModels

_LOSS = 0.15
_NOISE_DECIBELS = 10.0

_RECORDED_PERCENT = 6.0
_SYNTHESISED_PERCENT = 3.0
_LOSS_PERCENT = 8.0
_NOISE_PERCENT = 12.0
_EARLY_PERCENT = 2.0

Sent = Callable[[Clip, int], Sequence[Arrival]]
"""Makes the packets of a clip, given a seed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardClip:
    """What was said, and what was heard of it."""

    clip: Clip
    hearing: SimulatedHearing

    @property
    def errors(self) -> WordErrors:
        """What was heard wrongly."""
        return errors_in(self.clip.text, self.hearing.text)

    @property
    def is_early(self) -> bool:
        """Whether it was taken to be over while it was still being said."""
        return any(
            utterance.committed_at < self.clip.seconds for utterance in self.hearing.utterances
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Understanding:
    """What was measured."""

    recorded: Sequence[HeardClip]
    synthesised: Sequence[HeardClip]
    in_loss: Sequence[HeardClip]
    in_noise: Sequence[HeardClip]

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        everything = corpus()
        whole = {clip.name for clip in everything.whole}
        uncut = [each for each in (*self.recorded, *self.synthesised) if each.clip.name in whole]
        return [
            Row(
                name="committed while the person still spoke",
                value=100.0 * sum(each.is_early for each in uncut) / len(uncut),
                unit="%",
                target=Target("≤", _EARLY_PERCENT),
                against=f"n = {len(uncut)}: what was not cut at pauses, on a simulated clock",
            ),
            error_row("recorded speech", self.recorded, _RECORDED_PERCENT, everything.source),
            error_row("synthesised", self.synthesised, _SYNTHESISED_PERCENT, "hibari's voice"),
            error_row("15 % loss", self.in_loss, _LOSS_PERCENT, "the recorded speech, any packet"),
            error_row(
                "10 dB noise", self.in_noise, _NOISE_PERCENT, "the recorded speech, pink noise"
            ),
        ]


def measure(*, is_quick: bool) -> Understanding:
    """Measure it.

    Args:
        is_quick: Whether to hear every fourth clip only.
    """
    step = 4 if is_quick else 1
    recorded, made, loaded = corpus().recorded[::step], corpus().synthesised[::step], models()
    return Understanding(
        recorded=heard_by(loaded, recorded, _clear),
        synthesised=heard_by(loaded, made, _clear),
        in_loss=heard_by(loaded, recorded, _with_loss),
        in_noise=heard_by(loaded, recorded, _with_noise),
    )


def heard_by(models: HearingModels, clips: Sequence[Clip], sent: Sent) -> list[HeardClip]:
    """Return what is heard of clips that are sent in some way."""

    def heard(numbered: tuple[int, Clip]) -> HeardClip:
        seed, clip = numbered
        return HeardClip(clip=clip, hearing=hear(models, sent(clip, seed)))

    with ThreadPoolExecutor(MODEL_THREADS) as threads:
        return list(threads.map(heard, enumerate(clips)))


def _clear(clip: Clip, seed: int) -> Sequence[Arrival]:
    return arrivals(clip.audio, seed=seed)


def _with_loss(clip: Clip, seed: int) -> Sequence[Arrival]:
    return arrivals(clip.audio, loss=_LOSS, seed=seed)


def _with_noise(clip: Clip, seed: int) -> Sequence[Arrival]:
    return arrivals(in_noise(clip, decibels=_NOISE_DECIBELS, seed=seed), seed=seed)


def error_row(name: str, heard: Sequence[HeardClip], limit: float, source: str) -> Row:
    """Return a word error rate, in percent."""
    errors = total(each.errors for each in heard)
    return Row(
        name=f"word error rate through real Opus: {name}",
        value=errors.percent,
        unit="%",
        target=Target("≤", limit),
        against=f"{len(heard)} clips, {errors.words} words: {source}",
    )
