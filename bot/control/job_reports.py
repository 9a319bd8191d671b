"""What a running bot says of its jobs. Pure."""

from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import TypeAdapter, ValidationError

from extensions.jobs.job import Job, JobStatus
from extensions.jobs.progress import Progress
from extensions.jobs.pruning import PruneReport

T = TypeVar("T")

JOBS_PATH = "/api/jobs"
"""Where the newest are asked for; `?limit=` says how many."""
PRUNE_PATH = "/api/jobs/prune"
"""Where the files of old ones are removed, by POST; `?dry_run=1` only says which would be."""
MOST_JOBS = 1_000
"""How many can be asked for at once."""


def prune_path(*, dry_run: bool) -> str:
    """Return where the files of old jobs are removed, by POST."""
    return f"{PRUNE_PATH}?dry_run=1" if dry_run else PRUNE_PATH


def job_path(wanted: str) -> str:
    """Return where a job is asked for, by its id or name."""
    return f"{JOBS_PATH}/{quote(wanted, safe='')}"


def cancel_path(wanted: str) -> str:
    """Return where a job is cancelled, by POST."""
    return f"{job_path(wanted)}/cancel"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    """How one job is."""

    id: str
    name: str
    status: JobStatus
    task: str
    person_id: int
    """Discord's id of whoever asked for it."""
    guild_id: int | None
    """The server in which; `None`: in a direct message."""
    channel_id: int
    folder: str
    """The folder in which it works."""
    jail: str
    """What confines it: `bubblewrap` or `none`."""
    created_at: float
    """Unix time, in seconds; so are the others."""
    started_at: float | None
    finished_at: float | None
    pid: int | None
    progress: str | None
    """What it last said of how far it has come."""
    summary: str | None
    error: str | None
    cost_usd: float | None
    turns: int | None
    refused_actions: tuple[str, ...]
    failed_servers: tuple[str, ...]


def report_of_job(job: Job, progress: Progress) -> JobReport:
    """Return what is said of a job."""
    outcome = job.outcome
    return JobReport(
        id=job.id,
        name=job.name,
        status=job.status,
        task=job.task,
        person_id=job.origin.person_id,
        guild_id=job.origin.guild_id,
        channel_id=job.origin.channel_id,
        folder=job.folder,
        jail=job.jail,
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        pid=job.pid,
        progress=progress.message,
        summary=None if outcome is None else outcome.summary,
        error=None if outcome is None else outcome.error,
        cost_usd=None if outcome is None else outcome.cost_usd,
        turns=progress.turns if outcome is None else outcome.turns,
        refused_actions=() if outcome is None else outcome.refused_actions,
        failed_servers=() if outcome is None else outcome.failed_servers,
    )


_PRUNING: TypeAdapter[PruneReport] = TypeAdapter(PruneReport)
_REPORT: TypeAdapter[JobReport] = TypeAdapter(JobReport)
_REPORTS: TypeAdapter[list[JobReport]] = TypeAdapter(list[JobReport])


def job_as_json(report: JobReport) -> bytes:
    """Return the report as a JSON object."""
    return _REPORT.dump_json(report)


def jobs_as_json(reports: list[JobReport]) -> bytes:
    """Return the reports as a JSON list."""
    return _REPORTS.dump_json(reports)


def job_of_json(text: bytes) -> JobReport:
    """Return what `job_as_json` was given; what a newer bot adds is left out.

    Raises:
        ValueError: If it is no report.
    """
    return _read(_REPORT, text)


def jobs_of_json(text: bytes) -> list[JobReport]:
    """Return what `jobs_as_json` was given; what a newer bot adds is left out.

    Raises:
        ValueError: If these are no reports.
    """
    return _read(_REPORTS, text)


def pruning_as_json(report: PruneReport) -> bytes:
    """Return what was removed as a JSON object."""
    return _PRUNING.dump_json(report)


def pruning_of_json(text: bytes) -> PruneReport:
    """Return what `pruning_as_json` was given; what a newer bot adds is left out.

    Raises:
        ValueError: If it is no report.
    """
    return _read(_PRUNING, text)


def plain_pruning(report: PruneReport) -> dict[str, Any]:
    """Return what was removed as plain text, numbers and lists."""
    plain: dict[str, Any] = _PRUNING.dump_python(report, mode="json")
    return plain


def plain_job(report: JobReport) -> dict[str, Any]:
    """Return a report as plain text, numbers and lists."""
    plain: dict[str, Any] = _REPORT.dump_python(report, mode="json")
    return plain


def _read(adapter: TypeAdapter[T], text: bytes) -> T:
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        raise ValueError(f"{error.error_count()} fields are not as expected") from error
