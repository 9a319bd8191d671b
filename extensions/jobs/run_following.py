"""Follows a run on this machine by the files that its runner and its `claude` write."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

from extensions.claude.stream import parse_line
from extensions.jobs.backend import RunEnded, RunEvent, RunNeverStarted, RunProgressed, RunStarted
from extensions.jobs.line_tail import LineTail, last_text
from extensions.jobs.outcome import EndReason, RunEvidence, outcome_of
from extensions.jobs.trace import RunTrace
from extensions.process.detached import Exited, Lost, NeverStarted, Running, runner_state

_POLL_SECONDS = 0.05
_STDERR_TAIL_BYTES = 4096


async def follow_run(
    control: Path, answer_was_cut: Callable[[], bool]
) -> AsyncGenerator[RunEvent, None]:
    """Yield what becomes of a run, from its beginning to its end.

    Args:
        control: The folder of its runner's files.
        answer_was_cut: Says, once it is over, whether the model's last answer to it was cut.
    """
    trace, pid = RunTrace(), None
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
            known = trace.progress
            for lines in tail.batches():
                trace = _after(trace, lines)
                # A long output must not hold up everything else.
                await asyncio.sleep(0)
            if trace.progress != known:
                yield RunProgressed(trace.progress)
            if not isinstance(state, Running):
                yield _ended(state, trace, control, was_cut=answer_was_cut())
                return
            await asyncio.sleep(_POLL_SECONDS)


def _after(trace: RunTrace, lines: list[bytes]) -> RunTrace:
    for line in lines:
        trace = trace.after(parse_line(line))
    return trace


def _ended(state: Exited | Lost, trace: RunTrace, control: Path, *, was_cut: bool) -> RunEnded:
    evidence = RunEvidence(
        trace=trace,
        reason=EndReason.LOST,
        exit_code=None,
        answer_was_cut=was_cut,
        stderr_tail=last_text(control / "err.log", length_bytes=_STDERR_TAIL_BYTES),
    )
    if isinstance(state, Lost):
        return RunEnded(outcome_of(evidence))
    evidence = replace(evidence, reason=EndReason(state.reason), exit_code=state.code)
    return RunEnded(outcome_of(evidence), state.finished_at)
