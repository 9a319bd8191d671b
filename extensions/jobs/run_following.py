"""Follows a run on this machine by the files that its runner and its `claude` write."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, replace
from pathlib import Path

from extensions.claude.usage import Usage
from extensions.jobs.backend import RunEnded, RunEvent, RunNeverStarted, RunProgressed, RunStarted
from extensions.jobs.line_tail import LineTail, last_text
from extensions.jobs.outcome import EndReason, RunEvidence, outcome_of, resume_reason
from extensions.jobs.trace import RunTrace
from extensions.process.detached import Exited, Lost, NeverStarted, Running, runner_state

_POLL_SECONDS, _QUIET_POLL_SECONDS = 0.05, 0.25
"""Between two looks: at a run that has just printed something, and at one that has not for long."""
_STDERR_TAIL_BYTES = 4096
_AFTER_RETURN_SECONDS = 5.0
"""What ends so soon after the bot came back had given up before that."""
_LEAST_SIGNAL_CODE = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class BotPresence:
    """Whether a run could reach the bot."""

    returned_at: float | None = None
    """Unix time at which the bot came back, if the run was started before that."""
    address_was_lost: bool = False
    """Whether the bot is no longer where the run looks for it."""


_ALWAYS_THERE = BotPresence()


def _nothing_known() -> Usage:
    return Usage()


async def follow_run(
    control: Path,
    answer_was_cut: Callable[[], bool],
    bot: BotPresence = _ALWAYS_THERE,
    used: Callable[[], Usage] = _nothing_known,
) -> AsyncGenerator[RunEvent, None]:
    """Yield what becomes of a run, from its beginning to its end.

    Args:
        control: The folder of its runner's files.
        answer_was_cut: Says, once it is over, whether the model's last answer to it was cut.
        bot: Whether it could reach the bot.
        used: Says how many tokens it has used, as far as the bot has seen it. Its own lines tell
            of what the model writes only when the turn is over.
    """
    trace, pid, pause = RunTrace(), None, _POLL_SECONDS
    known = trace.progress
    with LineTail(control / "out.jsonl") as tail:
        while True:
            # Before the lines are read: what is printed after this look counts at the next one.
            state = runner_state(control)
            if isinstance(state, NeverStarted):
                yield RunNeverStarted()
                return
            if not isinstance(state, Lost) and state.pid is not None and state.pid != pid:
                pid = state.pid
                yield RunStarted(pid)
            for lines in tail.batches():
                trace = _after(trace, lines)
                # A long output must not hold up everything else.
                await asyncio.sleep(0)
            # Many runs are quiet most of the time, and each look costs the event loop something.
            pause = min(pause * 1.5, _QUIET_POLL_SECONDS)
            if (progress := trace.progress.used(used())) != known:
                known, pause = progress, _POLL_SECONDS
                yield RunProgressed(progress)
            if not isinstance(state, Running):
                evidence = RunEvidence(
                    trace=trace,
                    reason=EndReason.LOST,
                    exit_code=None,
                    answer_was_cut=answer_was_cut(),
                    stderr_tail=last_text(control / "err.log", length_bytes=_STDERR_TAIL_BYTES),
                    address_was_lost=bot.address_was_lost,
                )
                yield _ended(state, evidence, control, bot)
                return
            await asyncio.sleep(pause)


def _after(trace: RunTrace, lines: list[bytes]) -> RunTrace:
    for line in lines:
        trace = trace.after_line(line)
    return trace


def _ended(
    state: Exited | Lost, evidence: RunEvidence, control: Path, bot: BotPresence
) -> RunEnded:
    if isinstance(state, Lost):
        return RunEnded(outcome_of(evidence))
    returned_at = bot.returned_at
    evidence = replace(
        evidence,
        reason=EndReason(state.reason),
        exit_code=state.code,
        was_disk_full=state.was_disk_full,
        bot_was_away=returned_at is not None
        and state.finished_at < returned_at + _AFTER_RETURN_SECONDS,
        silent_seconds=max(0.0, state.finished_at - (control / "out.jsonl").stat().st_mtime),
    )
    return RunEnded(
        outcome_of(evidence),
        state.finished_at,
        resume_because=resume_reason(evidence),
        # A signal leaves it no time to write down how far it has counted.
        count_goes_on=state.reason == "exited" and 0 <= state.code < _LEAST_SIGNAL_CODE,
    )
