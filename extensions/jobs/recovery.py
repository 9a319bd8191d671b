"""What is known of a job from several places, of which some may be lost or old. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from extensions.jobs.extensions_json import ShownJob
from extensions.jobs.job import UNKNOWN_ORIGIN, Job, JobStatus, Outcome
from extensions.jobs.naming import base_name
from extensions.jobs.record import JobRecord
from extensions.jobs.run import Run
from extensions.jobs.sheet import JobSheet

_ROUNDING_SECONDS = 0.001
"""What is shown is rounded to milliseconds."""

LOST = Outcome(
    status=JobStatus.INTERRUPTED,
    error="What became of it was lost when Papercup's database was damaged.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far a job has come by the database."""

    status: JobStatus
    latest_at: float
    """Unix time, in seconds, of the last thing that is known to have happened to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """All that is known of one job. One of record, sheet and shown is there."""

    record: JobRecord | None = None
    """What the database says, which is true but may be old."""
    standing: Standing | None = None
    """There if `record` is."""
    sheet: JobSheet | None = None
    """What is kept beside its runs, from when its newest run was made or started."""
    shown: ShownJob | None = None
    """What `extensions.json` says of it."""
    newest_run: int = 0
    """The highest number of a run that has left files; 0 if none has."""
    has_begun: bool = False
    """Whether a runner has ever had its newest run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """A job as it has to be stored."""

    job: Job
    """If it is running, it may in truth have ended: whoever follows its run finds out."""
    run: Run
    is_end_told: bool = False
    """Whether those who watch have heard of its end already."""


def is_database_behind(shown: Iterable[ShownJob], standings: Mapping[str, Standing]) -> bool:
    """Say whether `extensions.json`, which is written after the database, knows more than it."""
    return any(
        (standing := standings.get(job.id)) is None or _is_end_news(job, standing) for job in shown
    )


def recovered(known: Knowledge, *, folder: str, now: float) -> Recovered | None:
    """Decide how a job stands; `None` if the database has it right.

    Args:
        known: What is known of it.
        folder: The folder it works in, which is made from its id and believed of no file.
        now: Unix time, in seconds.
    """
    run = _newest_run(known)
    job = replace(
        _base(known, run, folder=folder, now=now),
        run_number=run.number,
        resumed_because=run.resumed_because,
    )
    if known.shown is not None and _is_end_shown(known, known.shown, run):
        return _settled_as_shown(job, run, known.shown, now=now)
    if known.record is not None and run == known.record.run:
        return None
    if known.has_begun or run.started_at is not None:
        return Recovered(job=_running(job, run, known.shown), run=run)
    if known.sheet is not None or known.record is not None:
        return Recovered(job=job, run=run)
    lost = job.settled(LOST, at=now)
    return Recovered(job=lost, run=run.ended(at=now), is_end_told=True)


def _newest_run(known: Knowledge) -> Run:
    kept = [run for run in (_run_of(known.record), _run_of(known.sheet)) if run is not None]
    if kept:
        # Of the same run the database knows more, unless it has not heard of its start.
        return max(kept, key=lambda run: (run.number, run.started_at is not None))
    assert known.shown is not None
    # Whatever session it had, no file tells.
    return Run(job_id=known.shown.id, number=max(1, known.newest_run), claude_session_id="")


def _run_of(source: JobRecord | JobSheet | None) -> Run | None:
    return None if source is None else source.run


def _base(known: Knowledge, run: Run, *, folder: str, now: float) -> Job:
    """Return the job as it was before its newest run."""
    if known.record is not None:
        job = known.record.job
        if run == known.record.run:
            return job
        return replace(
            job, status=JobStatus.QUEUED, pid=None, started_at=None, finished_at=None, outcome=None
        )
    sheet, shown = known.sheet, known.shown
    if sheet is not None:
        return Job(
            id=sheet.id,
            name=sheet.name,
            task=sheet.task,
            origin=sheet.origin,
            folder=folder,
            jail=sheet.jail,
            created_at=sheet.created_at,
        )
    assert shown is not None
    times = [at for at in (shown.started_at, shown.finished_at) if at is not None]
    return Job(
        id=shown.id,
        name=base_name(shown.id, shown.task, shown.name),
        task=shown.task,
        origin=UNKNOWN_ORIGIN,
        folder=folder,
        jail="none",
        created_at=min(times, default=now),
    )


def _is_end_shown(known: Knowledge, shown: ShownJob, run: Run) -> bool:
    if known.record is not None:
        assert known.standing is not None
        latest_at = max(known.standing.latest_at, run.started_at or 0.0)
        return _is_end_news(shown, replace(known.standing, latest_at=latest_at))
    latest_at = 0.0 if known.sheet is None else run.started_at or known.sheet.created_at
    return shown.status.is_settled and (shown.finished_at or latest_at) >= (
        latest_at - _ROUNDING_SECONDS
    )


def _is_end_news(shown: ShownJob, standing: Standing) -> bool:
    # The file may show the end of the run before the one that the database knows already.
    return (
        shown.status.is_settled
        and not standing.status.is_settled
        and (shown.finished_at or 0.0) > standing.latest_at + _ROUNDING_SECONDS
    )


def _settled_as_shown(job: Job, run: Run, shown: ShownJob, *, now: float) -> Recovered:
    outcome = Outcome(
        status=shown.status, summary=shown.summary, error=shown.error, cost_usd=shown.cost_usd
    )
    at = now if shown.finished_at is None else shown.finished_at
    started = replace(job, pid=shown.pid, started_at=shown.started_at)
    return Recovered(
        job=started.settled(outcome, at=at), run=replace(run, ended_at=at), is_end_told=True
    )


def _running(job: Job, run: Run, shown: ShownJob | None) -> Job:
    shown_at = None if shown is None else shown.started_at
    started_at = next((at for at in (run.started_at, shown_at) if at is not None), job.created_at)
    return replace(job, status=JobStatus.RUNNING, started_at=started_at)
