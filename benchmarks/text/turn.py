"""How long a message takes to the speaker, and the speaker's words to the person."""

import json
import shlex
import sys
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.rows import Row, Target
from benchmarks.samples import Samples
from benchmarks.text import tap
from benchmarks.text.stage import Stage, running_stage
from bot.conversation.text_chat import Pace
from extensions.claude.binary import find_claude
from simulator.messages_api import Answer, ModelRequest, Say

_SHORT_TURNS_PER_ROUND = 2
_ROUNDS_PER_LONG_TURN = 4
_WARM_UP_TURNS = 2
_WORD_SECONDS = 0.03
_SHORT = "One, two, three."
_LONG = " ".join(f"word{number}" for number in range(130))
"""Takes about four seconds to say, so that it is edited a few times."""

_MESSAGE_LIMIT_MS = 100.0
_SIGHT_LIMIT_MS = 1000.0
_GAP_LIMIT = 1.5
"""Times the spacing of edits that is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """What was measured."""

    to_stdin: Samples
    to_sight: Samples
    whole: Samples
    """From the message to the first sight of its answer."""
    largest_gap_seconds: float
    edit_count: int

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        return [
            *self.to_stdin.rows(
                "message in → speaker's stdin",
                against="from its dispatch on the gateway until a process put before `claude`"
                " has read it; limit: 0.1 s",
                limit_ms=_MESSAGE_LIMIT_MS,
            ),
            *self.to_sight.rows(
                "token out → first sight",
                against="from the model's first word until Discord has the reply; limit: 1 s",
                limit_ms=_SIGHT_LIMIT_MS,
            ),
            *self.whole.rows(
                "message in → first sight",
                against="from its dispatch until Discord has the reply; the model answers at once",
            ),
            Row(
                name="token out → edit: largest gap while words come",
                value=self.largest_gap_seconds * 1000,
                unit="ms",
                target=Target("≤", _GAP_LIMIT * Pace().edit_seconds * 1000),
                against=f"n = {self.edit_count}; limit: {_GAP_LIMIT:g} times the"
                f" {Pace().edit_seconds:g} s that edits keep apart",
            ),
        ]


async def measure(folder: Path, rounds: int) -> Turns:
    """Measure it, on a bot of its own."""
    model = _Model()
    log = folder / "told.log"
    claude = await _tapped_claude(folder, log)
    # No job is started here, and no jail could hold what stands before `claude`.
    settings = {"speaker.claude": json.dumps(str(claude)), "jobs.jail": '"off"'}
    turns: list[_Turn] = []
    async with running_stage(folder, model, settings) as stage:
        for _ in range(_WARM_UP_TURNS):
            await stage.answer("short", _SHORT)
        for number in range(rounds * _SHORT_TURNS_PER_ROUND):
            is_long = number % (_ROUNDS_PER_LONG_TURN * _SHORT_TURNS_PER_ROUND) == 0
            turns.append(await _turn(stage, model, log, is_long=is_long))
    gaps = [gap for turn in turns for gap in turn.gaps]
    return Turns(
        to_stdin=Samples([turn.to_stdin for turn in turns]),
        to_sight=Samples([turn.to_sight for turn in turns]),
        whole=Samples([turn.whole for turn in turns]),
        largest_gap_seconds=max(gaps),
        edit_count=len(gaps),
    )


class _Model:
    """Says much or little, as it is asked, and remembers when it began to."""

    def __init__(self) -> None:
        self.began_at = 0.0

    def __call__(self, request: ModelRequest) -> Answer:
        text = _LONG if request.last_user_text.endswith("long") else _SHORT
        self.began_at = time.monotonic()
        return Say(text, chunk_seconds=_WORD_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    to_stdin: float
    to_sight: float
    whole: float
    gaps: list[float]


async def _turn(stage: Stage, model: _Model, log: Path, *, is_long: bool) -> _Turn:
    question, answer = await (
        stage.answer("long", _LONG) if is_long else stage.answer("short", _SHORT)
    )
    told_at = _last_told_at(log)
    seen_at = [version.at_seconds for version in answer.versions]
    return _Turn(
        to_stdin=told_at - question.posted_at_seconds,
        to_sight=seen_at[0] - model.began_at,
        whole=seen_at[0] - question.posted_at_seconds,
        gaps=[later - earlier for earlier, later in pairwise(seen_at)] if is_long else [],
    )


def _last_told_at(log: Path) -> float:
    return float(log.read_text(encoding="ascii").split()[-1])


async def _tapped_claude(folder: Path, log: Path) -> Path:
    claude = (await find_claude(None)).path
    command = shlex.join([sys.executable, "-IS", str(Path(tap.__file__)), str(log), str(claude)])
    script = folder / "claude"
    script.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    script.chmod(0o700)
    return script
