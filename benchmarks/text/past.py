"""Jobs of the past: what a bot has that was used for a while."""

import time
import uuid
from dataclasses import replace
from pathlib import Path

from extensions.jobs.job import Job, JobStatus, Origin, Outcome
from extensions.jobs.run import Run
from extensions.jobs.store import JobStore
from extensions.jobs.workspace import Workspace

_SECONDS_BETWEEN_JOBS = 60.0
_SECONDS_EACH = 30.0
_TASK = "Look at the numbers of last week, compare them with those of the week before, and say why."
_SUMMARY = "The numbers are a little higher; most of the difference comes from two days. " * 10


def new_job(number: int, workspaces: Path, origin: Origin, *, at: float) -> Job:
    """Return a job that waits.

    Args:
        number: Its number; decides on its id.
        workspaces: The folder in which each job has one of its own.
        origin: Who asked for it, and where.
        at: When; Unix time, in seconds.
    """
    job_id = f"{number:08x}"
    return Job(
        id=job_id,
        name=f"job-{number}",
        task=_TASK,
        origin=origin,
        folder=str(workspaces / job_id),
        jail="none",
        created_at=at,
    )


def new_run(job: Job) -> Run:
    """Return the first run of a job, which has not started."""
    return Run(job_id=job.id, number=1, claude_session_id=str(uuid.uuid4()))


async def store_finished_jobs(
    store: JobStore, workspaces: Path, origin: Origin, *, count: int
) -> None:
    """Store so many jobs that have completed, and whose ends were told, with their folders."""
    # Of late, so that none is old enough for its files to be removed.
    began = time.time() - count * _SECONDS_BETWEEN_JOBS
    for number in range(count):
        job = new_job(number, workspaces, origin, at=began + number * _SECONDS_BETWEEN_JOBS)
        run = new_run(job)
        Workspace(workspaces).prepare(job.id)
        await store.add(job, run)
        ended_at = job.created_at + _SECONDS_EACH
        run = run.started(token_hash="0" * 64, at=job.created_at).ended(at=ended_at)
        outcome = Outcome(status=JobStatus.COMPLETED, summary=_SUMMARY, cost_usd=0.12, turns=12)
        settled = job.started(at=job.created_at).settled(outcome, at=ended_at)
        await store.save(replace(settled, pid=1), run)
        await store.end_was_told(settled)
