"""What the tools for jobs tell of a job, as Claudes read it. Pure."""

from collections.abc import Sequence
from typing import Any

from extensions.jobs.extensions_json import milliseconds
from extensions.jobs.job import Job
from extensions.jobs.progress import Progress

_LISTED_TASK_LENGTH = 100
_SHOWN_TEXT_LENGTH = 10_000
_MOST_CANDIDATES = 6
_NOTHING = "Nothing that could be meant by that is under way."


def checked(job: Job, progress: Progress, *, now: float) -> dict[str, Any]:
    """Return all that is told of a job that is looked at."""
    outcome = job.outcome
    return {
        **identity(job, now=now),
        "summary": None if outcome is None else _cut(outcome.summary, _SHOWN_TEXT_LENGTH),
        "error": None if outcome is None else _cut(outcome.error, _SHOWN_TEXT_LENGTH),
        "costUsd": None if outcome is None else outcome.cost_usd,
        "progress": {
            "turns": progress.turns if outcome is None else outcome.turns,
            "lastTool": progress.last_tool,
            "message": progress.message,
            "fraction": progress.fraction,
            "tools": [{"name": tool.name, "detail": tool.detail} for tool in progress.tools],
            "filesWritten": progress.files_written,
            "newestFile": progress.newest_file,
            "tokens": {
                "input": progress.usage.input_tokens,
                "output": progress.usage.output_tokens,
                "cacheRead": progress.usage.cache_read_tokens,
                "cacheWrite": progress.usage.cache_write_tokens,
            },
        },
        "refusedActions": [] if outcome is None else list(outcome.refused_actions),
        "failedServers": [] if outcome is None else list(outcome.failed_servers),
    }


def listed(job: Job, *, now: float) -> dict[str, Any]:
    """Return what is told of a job among others."""
    return {
        **identity(job, now=now),
        "task": _cut(job.task, _LISTED_TASK_LENGTH),
        "costUsd": None if job.outcome is None else job.outcome.cost_usd,
    }


def ask_back(candidates: Sequence[Job]) -> str:
    """Return what is told if it is unclear which job is meant, to be asked of the person."""
    if not candidates:
        return _NOTHING
    shown = [f"{job.name} ({job.id}, {job.status})" for job in candidates[:_MOST_CANDIDATES]]
    more = len(candidates) - len(shown)
    rest = f" and {more} more" if more else ""
    return (
        f"It is unclear which one is meant: ask the person. It could be {', '.join(shown)}{rest}."
    )


def identity(job: Job, *, now: float) -> dict[str, Any]:
    """Return what tells a job from others, and how it stands."""
    started = job.started_at is not None
    return {
        "id": job.id,
        "name": job.name,
        "status": job.status.value,
        "startedAt": milliseconds(job.started_at),
        "finishedAt": milliseconds(job.finished_at),
        "durationMs": milliseconds(job.duration_seconds(now=now)) if started else None,
    }


def _cut(text: str | None, length: int) -> str | None:
    if text is None or len(text) <= length:
        return text
    return text[: length - 1] + "…"
