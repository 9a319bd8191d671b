"""`data/extensions.json`, as text: the jobs in the words that its readers know. Pure."""

import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from extensions.jobs.job import Job, JobStatus

NEWEST_LIMIT = 1000
"""How many of the newest jobs it holds, besides older ones that have not settled."""
TEXT_LENGTH_LIMIT = 4000
"""How many characters of a task, summary or error it holds; the database has all of them."""

_INDENT = "    "
_JOB_ID = re.compile(r"[0-9a-f]{8}")
_MOST_READ = 100_000
_LATEST_MILLISECONDS = 2**50
_LARGEST_PID = 2**22
_LARGEST_COST_USD = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownJob:
    """A job as the file shows it: not who asked for it, nor where."""

    id: str
    name: str | None
    task: str
    """Perhaps cut."""
    status: JobStatus
    pid: int | None
    started_at: float | None
    """Unix time, in seconds."""
    finished_at: float | None
    """Unix time, in seconds."""
    summary: str | None
    """Perhaps cut."""
    error: str | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownJobs:
    """What could be read of the file."""

    jobs: tuple[ShownJob, ...] = ()
    """The oldest first."""
    passed_over: tuple[str, ...] = ()
    """What could not be read, each with the reason."""


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


def read_extensions(data: bytes) -> ShownJobs:
    """Read the file, whatever it holds: what makes no sense is passed over, and named."""
    try:
        document: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        return ShownJobs(passed_over=(f"the whole file: {error}",))
    match document:
        case {"extensions": [*records]}:
            return _read_records(records)
        case _:
            return ShownJobs(passed_over=("the whole file: it holds no list of jobs",))


def _read_records(records: list[Any]) -> ShownJobs:
    jobs: dict[str, ShownJob] = {}
    passed_over: list[str] = []
    for number, record in enumerate(records[:_MOST_READ], start=1):
        match record:
            case {"id": str(job_id)} if not _JOB_ID.fullmatch(job_id) or job_id in jobs:
                passed_over.append(f"entry {number}: its id is none, or another entry's")
            case {"id": str(job_id), "status": str(status)} if status in set(JobStatus):
                fields = _Fields(cast("dict[str, Any]", record))
                jobs[job_id] = _shown(job_id, JobStatus(status), fields)
                passed_over += [f"job {job_id}: its {key}" for key in fields.bad_keys]
            case _:
                passed_over.append(f"entry {number}: it has no id, or no status that there is")
    if len(records) > _MOST_READ:
        passed_over.append(f"all entries after the first {_MOST_READ}")
    return ShownJobs(jobs=tuple(reversed(jobs.values())), passed_over=tuple(passed_over))


class _Fields:
    """The fields of a record; those that hold what they cannot hold count as null."""

    def __init__(self, record: dict[str, Any]) -> None:
        self._record = record
        self.bad_keys: list[str] = []

    def text(self, key: str) -> str | None:
        match self._record.get(key):
            case None:
                return None
            case str(text):
                # A lone surrogate can be written in JSON, but not be stored.
                return text.encode(errors="replace").decode()
            case _:
                self.bad_keys.append(key)
                return None

    def number(self, key: str, *, below: float) -> float | None:
        number = self._record.get(key)
        if number is None:
            return None
        is_number = isinstance(number, int | float) and not isinstance(number, bool)
        # Compared first: a whole number may be too large for a float.
        if not is_number or not 0 <= number < below:
            self.bad_keys.append(key)
            return None
        return float(number)

    def seconds(self, key: str) -> float | None:
        found = self.number(key, below=_LATEST_MILLISECONDS)
        return None if found is None else found / 1000


def _shown(job_id: str, status: JobStatus, fields: _Fields) -> ShownJob:
    pid = fields.number("pid", below=_LARGEST_PID)
    return ShownJob(
        id=job_id,
        name=fields.text("name"),
        task=fields.text("task") or "",
        status=status,
        pid=None if pid is None else int(pid),
        started_at=fields.seconds("startedAt"),
        finished_at=fields.seconds("finishedAt"),
        summary=fields.text("summary"),
        error=fields.text("error"),
        cost_usd=fields.number("costUsd", below=_LARGEST_COST_USD),
    )
