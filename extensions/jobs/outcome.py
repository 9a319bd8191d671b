"""How a run ended: decided from all that is known of it. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from extensions.claude.failures import Failure, FailureKind, failure_of_exit, failure_of_turn
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.trace import RunTrace


class EndReason(StrEnum):
    """Why a run's program is there no more."""

    EXITED = "exited"
    """It ended by itself."""
    CANCELLED = "cancelled"
    """It was ended, as its runner was told to."""
    TIMEOUT = "timeout"
    """It was ended, as it took too long."""
    OUTPUT = "output"
    """It was ended, as it wrote too much."""
    TERMINATED = "terminated"
    """It was ended, as its runner was ended from outside."""
    LOST = "lost"
    """Its runner is gone and has recorded nothing: killed, or the machine stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvidence:
    """All that is known of a run that is over."""

    trace: RunTrace
    """What its lines told."""
    reason: EndReason
    exit_code: int | None
    """Negative for a signal; `None` if nobody saw it."""
    answer_was_cut: bool
    """Whether the last answer of the model stopped before its end."""
    stderr_tail: str = ""


def outcome_of(evidence: RunEvidence) -> Outcome:
    """Decide how the run ended.

    It completed only if its `claude` gave a result without an error, has nothing left to do, and
    the model's last answer came whole. The exit code proves nothing: it is 0 for answers that were
    cut, and another one if the program had to be helped to its end after its result.
    """
    match evidence.reason:
        case EndReason.EXITED:
            return _outcome_of_itself(evidence)
        case EndReason.CANCELLED:
            return _outcome(evidence, JobStatus.CANCELLED)
        case EndReason.TIMEOUT:
            return _outcome(evidence, JobStatus.FAILED, error=_TOOK_TOO_LONG)
        case EndReason.OUTPUT:
            return _outcome(evidence, JobStatus.FAILED, error=_WROTE_TOO_MUCH)
        case EndReason.TERMINATED | EndReason.LOST:
            return _outcome(evidence, JobStatus.INTERRUPTED, error=_LOST)
        case _:
            assert_never(evidence.reason)


_TOOK_TOO_LONG = "It took longer than a job may, and was stopped."
_WROTE_TOO_MUCH = "It wrote more output than a job may, and was stopped."
_LOST = "The machine, or the program that watched over it, stopped before it had ended."
_WAS_CUT = "The model's last answer was cut off, so that what it says cannot be relied on."
_UNFINISHED = "Claude ended while it still had something to do."

_SENTENCES = {
    FailureKind.CRASHED: "Claude stopped unexpectedly, before it had a result.",
    FailureKind.TOO_LONG: "The task grew too long for Claude; divide it into smaller ones.",
    FailureKind.MAX_TURNS: "It took as many steps as a job may; divide it into smaller tasks.",
    FailureKind.SESSION_IN_USE: "Its Claude session was open in another Claude already.",
    FailureKind.SESSION_UNKNOWN: "Claude no longer knows the session that should have gone on.",
}
"""Where what is said of a conversation does not fit a job."""


def _outcome_of_itself(evidence: RunEvidence) -> Outcome:
    trace = evidence.trace
    turn = trace.last_turn
    if turn is None:
        ended = failure_of_exit(evidence.exit_code, evidence.stderr_tail)
        return _outcome(evidence, JobStatus.FAILED, error=_sentence(ended))
    if (failure := failure_of_turn(turn, trace.limit)) is not None:
        return _outcome(evidence, JobStatus.FAILED, error=_sentence(failure))
    if trace.is_in_turn or turn.queued_turns:
        return _outcome(evidence, JobStatus.FAILED, error=_UNFINISHED)
    if evidence.answer_was_cut:
        return _outcome(evidence, JobStatus.FAILED, error=_WAS_CUT)
    return _outcome(evidence, JobStatus.COMPLETED, summary=turn.text.strip() or None)


def _sentence(failure: Failure) -> str:
    return _SENTENCES.get(failure.kind, failure.sentence)


def _outcome(
    evidence: RunEvidence,
    status: JobStatus,
    *,
    summary: str | None = None,
    error: str | None = None,
) -> Outcome:
    trace = evidence.trace
    return Outcome(
        status=status,
        summary=summary,
        error=error,
        cost_usd=None if trace.last_turn is None else trace.last_turn.cost_usd,
        turns=trace.progress.turns,
        refused_actions=trace.all_refused_actions,
        failed_servers=trace.failed_servers,
    )
