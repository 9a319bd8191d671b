"""How a run ended: decided from all that is known of it. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from extensions.claude.failures import Failure, FailureKind, failure_of_exit, failure_of_turn
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.run import ResumeReason
from extensions.jobs.trace import RunTrace

LONGEST_SUMMARY = 200_000
"""How many characters of a job's last words are kept: more than a model says in one answer."""


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
    MEMORY = "memory"
    """It was ended, as it used too much memory."""
    PROCESSES = "processes"
    """It was ended, as it had become too many processes."""
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
    was_disk_full: bool = False
    """Whether there was no room left for what it printed."""
    bot_was_away: bool = False
    """Whether it ended while the bot was not there, or as the bot came back."""
    address_was_lost: bool = False
    """Whether the bot is no longer where it looked for it."""
    silent_seconds: float = 0.0
    """How long before its end it printed something for the last time."""


def outcome_of(evidence: RunEvidence) -> Outcome:
    """Decide how the run ended.

    It completed only if its `claude` gave a result without an error, has nothing left to do, and
    the model's last answer came whole. The exit code proves nothing: it is 0 for answers that were
    cut, and another one if the program had to be helped to its end after its result.
    """
    if (because := resume_reason(evidence)) is not None:
        return _outcome(evidence, JobStatus.INTERRUPTED, error=_COULD_NOT_GO_ON[because])
    match evidence.reason:
        case EndReason.EXITED:
            return _outcome_of_itself(evidence)
        case EndReason.CANCELLED:
            return _outcome(evidence, JobStatus.CANCELLED)
        case EndReason.TIMEOUT | EndReason.OUTPUT | EndReason.MEMORY | EndReason.PROCESSES:
            return _outcome(evidence, JobStatus.FAILED, error=_LIMITS[evidence.reason])
        case EndReason.TERMINATED | EndReason.LOST:
            return _outcome(evidence, JobStatus.INTERRUPTED, error=_LOST)
        case _:
            assert_never(evidence.reason)


_LIMITS = {
    EndReason.TIMEOUT: "It took longer than a job may, and was stopped.",
    EndReason.OUTPUT: "It wrote more output than a job may, and was stopped.",
    EndReason.MEMORY: "It used more memory than a job may, and was stopped.",
    EndReason.PROCESSES: "It started more processes than a job may, and was stopped.",
}
_COULD_NOT_GO_ON = {
    ResumeReason.BOT_AWAY: "Papercup was away for so long that it could not go on.",
    ResumeReason.ADDRESS_LOST: "It lost Papercup, which had to take another address.",
}
_LOST = "The machine, or the program that watched over it, stopped before it had ended."
_WAS_CUT = "The model's last answer was cut off, so that what it says cannot be relied on."
_DISK_FULL = "The disk became full, so that what it did last could not be kept."
_UNFINISHED = "Claude ended while it still had something to do."

_LEAST_SILENT_SECONDS = 30.0
"""What is silent for less was not kept waiting by an outage for long."""

_SENTENCES = {
    FailureKind.CRASHED: "Claude stopped unexpectedly, before it had a result.",
    FailureKind.TOO_LONG: "The task grew too long for Claude; divide it into smaller ones.",
    FailureKind.MAX_TURNS: "It took as many steps as a job may; divide it into smaller tasks.",
    FailureKind.SESSION_IN_USE: "Its Claude session was open in another Claude already.",
    FailureKind.SESSION_UNKNOWN: "Claude no longer knows the session that should have gone on.",
}
"""Where what is said of a conversation does not fit a job."""


def resume_reason(evidence: RunEvidence) -> ResumeReason | None:
    """Return why the run ended only because it could not reach the bot; `None` if it did not.

    Such a run is worth another one, which goes on where it stopped.
    """
    is_cut_off = _could_not_reach_bot(evidence)
    if evidence.address_was_lost and (is_cut_off or evidence.reason is EndReason.CANCELLED):
        return ResumeReason.ADDRESS_LOST
    was_held = (
        evidence.reason is EndReason.TIMEOUT
        and evidence.trace.waits_for_bot
        and evidence.silent_seconds >= _LEAST_SILENT_SECONDS
    )
    if evidence.bot_was_away and (is_cut_off or was_held):
        return ResumeReason.BOT_AWAY
    return None


def _could_not_reach_bot(evidence: RunEvidence) -> bool:
    turn = evidence.trace.last_turn
    if evidence.reason is not EndReason.EXITED or turn is None:
        return False
    failure = failure_of_turn(turn, evidence.trace.limit)
    # What the API itself answers has a status, and comes through the bot.
    return (
        failure is not None
        and failure.kind is FailureKind.API_DOWN
        and turn.api_error_status is None
    )


def _outcome_of_itself(evidence: RunEvidence) -> Outcome:
    trace = evidence.trace
    turn = trace.last_turn
    if evidence.was_disk_full and (turn is None or trace.is_in_turn):
        return _outcome(evidence, JobStatus.FAILED, error=_DISK_FULL)
    if turn is None:
        ended = failure_of_exit(evidence.exit_code, evidence.stderr_tail)
        return _outcome(evidence, JobStatus.FAILED, error=_sentence(ended))
    if (failure := failure_of_turn(turn, trace.limit)) is not None:
        return _outcome(evidence, JobStatus.FAILED, error=_sentence(failure))
    if trace.is_in_turn or turn.queued_turns:
        return _outcome(evidence, JobStatus.FAILED, error=_UNFINISHED)
    if evidence.answer_was_cut:
        return _outcome(evidence, JobStatus.FAILED, error=_WAS_CUT)
    said = turn.text.strip()
    if len(said) > LONGEST_SUMMARY:
        said = said[: LONGEST_SUMMARY - 1] + "…"
    return _outcome(evidence, JobStatus.COMPLETED, summary=said or None)


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
