"""A program that writes jobs without end, and says on stdout what it knows to be stored.

Usage: python -m tests.fakes.job_writer FOLDER
"""

import asyncio
import random
import sys
import time
from functools import partial
from pathlib import Path

from bot.migrations import migrations
from extensions.database import Database
from extensions.jobs.extensions_file import keeping_extensions_file
from extensions.jobs.job import Job, JobStatus, Origin, Outcome
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.recovering import JobFilesOnDisk, recover_jobs
from extensions.jobs.run import Run
from extensions.jobs.store import JobStore
from extensions.jobs.workspace import Workspace
from extensions.rebuilding import open_database_or_rebuild


def files_of(folder: Path) -> JobFilesOnDisk:
    """Return where the jobs of that folder are told of besides the database."""
    return JobFilesOnDisk(
        json_path=folder / "extensions.json",
        sheets=JobSheets(folder / "run"),
        workspace=Workspace(folder / "extensions"),
    )


async def write_for_ever(folder: Path) -> None:
    """Make jobs, start them and settle them; say so after each step."""
    files = files_of(folder)
    recover = partial(recover_jobs, files=files, clock=time.time)
    async with open_database_or_rebuild(
        folder / "papercup.db", migrations(), recover=recover, clock=time.time
    ) as database:
        await _write(database, files)


async def _write(database: Database, files: JobFilesOnDisk) -> None:
    store, chance = JobStore(database, files.sheets), random.Random()  # noqa: S311 - ids, no secrets
    newest = [record.job for record in reversed(await store.newest(1000))]
    async with keeping_extensions_file(files.json_path, newest) as file:
        while True:
            job, run = _new_job(f"{chance.getrandbits(32):08x}")
            job = await store.add(job, run)
            file.put(job)
            _say("queued", job)
            job, run = job.started(at=2.0), run.started(token_hash="ab" * 32, at=2.0)
            await store.save(job, run)
            file.put(job)
            _say("running", job)
            if chance.random() < 0.8:
                job, run = job.settled(_DONE, at=3.0), run.ended(at=3.0)
                await store.save(job, run)
                file.put(job)
                _say("completed", job)


def _new_job(job_id: str) -> tuple[Job, Run]:
    origin = Origin(session_id="5e551011", person_id=7, guild_id=1, channel_id=2)
    job = Job(
        id=job_id,
        name=f"job-{job_id}",
        task="write and write " * 20,
        origin=origin,
        folder=f"/data/extensions/{job_id}",
        jail="bubblewrap",
        created_at=1.0,
    )
    return job, Run(job_id=job_id, number=1, claude_session_id="a session")


def _say(step: str, job: Job) -> None:
    sys.stdout.write(f"{step} {job.id}\n")
    sys.stdout.flush()


_DONE = Outcome(status=JobStatus.COMPLETED, summary="done " * 50, cost_usd=0.5, turns=2)

if __name__ == "__main__":
    asyncio.run(write_for_ever(Path(sys.argv[1])))
