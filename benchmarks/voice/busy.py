"""How many lines can be busy at once, in one process, before anybody notices."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from benchmarks.rows import Row, Target
from benchmarks.samples import Samples
from benchmarks.voice.conversation import LINES
from benchmarks.voice.corpus import corpus
from benchmarks.voice.stage import running_stage
from benchmarks.voice.talk import Talk, talk

_WANTED = 16
_MORE = (24, 20)
_FEWER = (12, 8)
_MEDIAN_GROWTH = 1.1
_HIGH_GROWTH = 1.25
_SEED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class BusyLines:
    """What was measured."""

    few: Talk
    tried: Sequence[tuple[int, Talk]]
    """Each number of lines, and what it was like."""

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        good = [lines for lines, talk in self.tried if is_unchanged(self.few, talk)]
        return [
            Row(
                name="busy lines in one process at unchanged latency",
                value=float(max(good, default=0)),
                unit="lines",
                target=Target("≥", float(_WANTED)),
                against="end of speech → first packet, p50 / p95, and cores of the process; "
                + "; ".join(
                    f"{lines}: {_told(talk)}" for lines, talk in [(LINES, self.few), *self.tried]
                ),
            )
        ]


def is_unchanged(few: Talk, many: Talk) -> bool:
    """Say whether people on many lines wait hardly longer than those on a few."""
    before, after = _waits(few), _waits(many)
    is_all_answered = many.unanswered <= few.unanswered
    return (
        is_all_answered
        and after.median <= before.median * _MEDIAN_GROWTH
        and after.p95 <= before.p95 * _HIGH_GROWTH
    )


async def measure(turns: int, few: Talk | None) -> BusyLines:
    """Measure it.

    Args:
        turns: How often everyone talks, each time.
        few: A talk on `conversation.LINES`, which disturb nobody, if there was one already.
    """
    clips = list(corpus().whole)
    Random(_SEED).shuffle(clips)  # noqa: S311 - no secret
    tried: list[tuple[int, Talk]] = []

    async with running_stage() as stage:
        alone = few or await talk(stage, clips, lines=LINES, turns=turns * 2)

        async def try_out(lines: int) -> bool:
            tried.append((lines, await talk(stage, clips, lines=lines, turns=turns)))
            return is_unchanged(alone, tried[-1][1])

        for lines in _MORE if await try_out(_WANTED) else _FEWER:
            if await try_out(lines):
                break
    return BusyLines(few=alone, tried=tried)


def _waits(talk: Talk) -> Samples:
    return Samples([exchange.to_sound for exchange in talk.exchanges])


def _told(talk: Talk) -> str:
    waits = _waits(talk)
    return f"{waits.median * 1000:.0f} / {waits.p95 * 1000:.0f} ms, {talk.cores:.2f}"
