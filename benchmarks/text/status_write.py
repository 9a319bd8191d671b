"""How long it takes to store how a job stands, against SQLite alone."""

import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import Row
from benchmarks.samples import Samples
from benchmarks.text.past import new_job, new_run, store_finished_jobs
from bot.migrations import migrations
from extensions.database import open_database
from extensions.jobs.job import Job, Origin
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.run import Run
from extensions.jobs.store import JobStore

_WRITES_PER_ROUND = 50
_WARM_UP_WRITES = 25
_JOBS = 1000
_ORIGIN = Origin(session_id="5e551011", person_id=1, guild_id=2, channel_id=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusWrites:
    """What was measured."""

    ours: Samples
    bare: Samples

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        return [
            Row(
                name="status write: times bare SQLite's",
                value=self.ours.median / self.bare.median,
                unit="times",
                against="one UPDATE by `sqlite3`, measured in turns with it; medians",
            ),
            *self.ours.rows(
                "status write",
                against=f"job and run, in one transaction on the database's thread, {_JOBS} jobs",
            ),
            *self.bare.rows(
                "status write, bare SQLite",
                against="one row, no thread; a file of the same form, WAL, synchronous=FULL",
            ),
        ]


async def measure(folder: Path, rounds: int) -> StatusWrites:
    """Measure it, write by write in turns, so that what disturbs one disturbs the other."""
    ours: list[float] = []
    bare: list[float] = []
    ours_path, bare_path = folder / "ours.db", folder / "bare.db"
    async with open_database(bare_path, migrations()) as database:
        await store_finished_jobs(JobStore(database), folder, _ORIGIN, count=_JOBS)
    async with open_database(ours_path, migrations()) as database:
        store = JobStore(database, JobSheets(folder / "run"))
        await store_finished_jobs(store, folder, _ORIGIN, count=_JOBS)
        job = new_job(_JOBS, folder, _ORIGIN, at=time.time())
        run = new_run(job)
        await store.add(job, run)
        job = job.started(at=job.created_at)
        await store.save(job, run)
        with closing(_bare(bare_path)) as connection:
            for number in range(_WARM_UP_WRITES + rounds * _WRITES_PER_ROUND):
                taken = (
                    await _ours(store, job.with_pid(number + 1), run),
                    _update(connection, number),
                )
                if number >= _WARM_UP_WRITES:
                    ours.append(taken[0])
                    bare.append(taken[1])
    return StatusWrites(ours=Samples(ours), bare=Samples(bare))


async def _ours(store: JobStore, job: Job, run: Run) -> float:
    began = time.perf_counter()
    await store.save(job, run)
    return time.perf_counter() - began


def _update(connection: sqlite3.Connection, number: int) -> float:
    began = time.perf_counter()
    connection.execute("UPDATE jobs SET pid = ? WHERE id = ?", (number + 1, f"{0:08x}"))
    return time.perf_counter() - began


def _bare(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    return connection
