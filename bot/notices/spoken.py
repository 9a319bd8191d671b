"""What is said aloud of jobs that have settled: one line, however many there are. Pure."""

import re
from collections.abc import Sequence

from bot.notices.notice import WANT_IT, troubles_of
from bot.wording import duration_words
from extensions.jobs.job import Job, JobStatus
from voice.events import Heard

MOST_NAMED = 4
"""Of how many jobs each is named; of more it is said how many there are."""

_MOST_WORDS = 8
_NAMELESS = re.compile(r"job-[0-9a-f]{8}(-[0-9]+)?")
"""The name of a job whose task holds no letters: nobody would know it by that."""
_A_JOB = "a job"
_WORDS = re.compile(r"[^\W_]+")

_ENDINGS = {
    JobStatus.COMPLETED: ("just finished", "just finished"),
    JobStatus.FAILED: ("failed", "failed"),
    JobStatus.CANCELLED: ("was cancelled", "were cancelled"),
    JobStatus.INTERRUPTED: ("was interrupted", "were interrupted"),
}
"""Of one job, and of several; in the order in which they are told."""


def spoken_name(name: str) -> str:
    """Return a job's name as one says it: "fibonacci script" for `fibonacci-script`."""
    words = _WORDS.findall(name)[:_MOST_WORDS]
    return _A_JOB if _NAMELESS.fullmatch(name) or not words else " ".join(words)


def spoken_notice(jobs: Sequence[Job]) -> str:
    """Return what is said of settled jobs, in one line; of each how it ended.

    If one of them left any words, people are asked whether they want the rundown.
    """
    said = _ending(jobs[0]) if len(jobs) == 1 else _endings(jobs)
    question = f" {WANT_IT}" if any(_has_a_rundown(job) for job in jobs) else ""
    return f"Heads up — {said}.{question}"


def note_of(jobs: Sequence[Job], heard: Heard) -> str:
    """Return what the speaker is told of a notice that was spoken, before the next turn.

    Args:
        jobs: Those of which it told.
        heard: What was heard of it.
    """
    if heard.is_whole:
        said = f'You have just said on the line: "{heard.text}"'
    else:
        said = (
            f'You began to say on the line: "{heard.text}", but were not heard to the end; it'
            " stands in the chat."
        )
    ids = ", ".join(f"{job.id} ({spoken_name(job.name)})" for job in jobs)
    one = len(jobs) == 1
    return (
        f"[{said} The {'id of that job' if one else 'ids of these jobs'}: {ids}. For the rundown"
        f" call check_extension with {'it' if one else 'each'}; what it does not find, whoever asks"
        " may not see.]"
    )


def _has_a_rundown(job: Job) -> bool:
    outcome = job.outcome
    return outcome is not None and job.status is JobStatus.COMPLETED and bool(outcome.summary)


def _ending(job: Job) -> str:
    assert job.outcome is not None, "only a settled job has a notice"
    name = spoken_name(job.name)
    took = duration_words(job.duration_seconds(now=job.finished_at or 0.0))
    match job.outcome.status:
        case JobStatus.COMPLETED if troubles := troubles_of(job.outcome):
            return f"{name} finished after {took}, but {troubles}"
        case JobStatus.INTERRUPTED:
            return f"{name} was interrupted before it finished"
        case status:
            return f"{name} {_ENDINGS[status][0]} after {took}"


def _endings(jobs: Sequence[Job]) -> str:
    names = [spoken_name(job.name) for job in jobs]
    are_named = len(names) <= MOST_NAMED and len(set(names)) == len(names)
    parts: list[str] = []
    for status in _ENDINGS:
        found = [name for name, job in zip(names, jobs, strict=True) if job.status is status]
        if found:
            parts.append(_clause(_listed(found) if are_named else str(len(found)), found, status))
    if are_named:
        return _listed(parts, comma=True)
    return f"{len(jobs)} jobs have ended: {_listed(parts)}"


def _clause(who: str, named: Sequence[str], status: JobStatus) -> str:
    of_one, of_several = _ENDINGS[status]
    return f"{who} {of_one if len(named) == 1 else of_several}"


def _listed(parts: Sequence[str], *, comma: bool = False) -> str:
    *first, last = parts
    if not first:
        return last
    return f"{', '.join(first)}{',' if comma else ''} and {last}"
