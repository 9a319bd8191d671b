"""`data/extensions.json`, as text: the jobs in the words that its readers know. Pure."""

import json
from itertools import islice
from typing import Any

from extensions.jobs.job import Job

NEWEST_LIMIT = 1000
"""How many of the newest jobs it holds, besides older ones that have not settled."""
TEXT_LENGTH_LIMIT = 4000
"""How many characters of a task, summary or error it holds; the database has all of them."""

_INDENT = "    "


class ExtensionsJson:
    """The text of the file, kept up to date job by job."""

    def __init__(self, *, newest_limit: int = NEWEST_LIMIT) -> None:
        self._newest_limit = newest_limit
        self._texts: dict[str, str] = {}
        """By job id, oldest first."""
        self._unsettled: set[str] = set()

    def put(self, job: Job) -> None:
        """Show a job as it is now. Jobs are put in the order of their making at first."""
        text = json.dumps(record_of(job), indent=2, ensure_ascii=False)
        self._texts[job.id] = _INDENT + text.replace("\n", "\n" + _INDENT)
        if job.status.is_settled:
            self._unsettled.discard(job.id)
        else:
            self._unsettled.add(job.id)
        self._forget_old_ones()

    def text(self) -> str:
        """Return the whole file, the newest job first."""
        if not self._texts:
            return '{\n  "extensions": []\n}\n'
        records = ",\n".join(reversed(self._texts.values()))
        return f'{{\n  "extensions": [\n{records}\n  ]\n}}\n'

    def _forget_old_ones(self) -> None:
        surplus = max(0, len(self._texts) - self._newest_limit)
        for job_id in list(islice(self._texts, surplus)):
            if job_id not in self._unsettled:
                del self._texts[job_id]


def record_of(job: Job) -> dict[str, Any]:
    """Return a job under the field names of the file; times are in milliseconds."""
    outcome = job.outcome
    record = {
        "id": job.id,
        "name": job.name,
        "task": _cut(job.task),
        "status": job.status.value,
        "dir": job.folder,
        "pid": job.pid,
        "startedAt": milliseconds(job.started_at),
        "finishedAt": milliseconds(job.finished_at),
        "durationMs": _duration_milliseconds(job),
        "summary": None if outcome is None else _cut(outcome.summary),
        "costUsd": None if outcome is None else outcome.cost_usd,
    }
    if outcome is not None and outcome.error is not None:
        record["error"] = _cut(outcome.error)
    return record


def milliseconds(seconds: float | None) -> int | None:
    """Return a time in the unit of the file."""
    return None if seconds is None else round(seconds * 1000)


def _duration_milliseconds(job: Job) -> int | None:
    started, finished = milliseconds(job.started_at), milliseconds(job.finished_at)
    if started is None or finished is None:
        return None
    # A clock may be set back meanwhile.
    return max(0, finished - started)


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= TEXT_LENGTH_LIMIT:
        return text
    return text[: TEXT_LENGTH_LIMIT - 1] + "…"
