"""Jobs and their runs, as rows of the database."""

import asyncio
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from extensions.database import Database
from extensions.jobs.costs import EarlierRuns
from extensions.jobs.job import Job
from extensions.jobs.job_sheets import JobSheets
from extensions.jobs.naming import unclashed
from extensions.jobs.record import JobRecord
from extensions.jobs.rows import (
    INSERT_JOB,
    INSERT_RUN,
    UPDATE_JOB,
    UPDATE_RUN,
    earlier_runs_of,
    job_values,
    record_of,
    run_values,
)
from extensions.jobs.run import Run

JobRun: TypeAlias = tuple[Job, Run]

_NAMESAKES_LIMIT = 1000


class JobStore:
    """The jobs in a database; what a method changed is on the disk when it returns."""

    def __init__(self, database: Database, sheets: JobSheets | None = None) -> None:
        """Take the database.

        Args:
            database: Holds the jobs.
            sheets: Where a sheet of each job is kept besides, so that it can be known again if
                the database is lost; `None` for whoever only reads.
        """
        self._database = database
        self._sheets = sheets

    async def add(self, job: Job, run: Run) -> Job:
        """Store a new job and its first run.

        Returns:
            The job, with another name if a job of the same person has its name already.

        Raises:
            sqlite3.Error, OSError: If it cannot be stored, or a job has its id already.
        """

        def insert(connection: sqlite3.Connection) -> Job:
            names = connection.execute(_SELECT_NAMES, (job.origin.person_id,))
            named = replace(job, name=unclashed(job.name, {name for (name,) in names}))
            connection.execute(INSERT_JOB, job_values(named))
            connection.execute(INSERT_RUN, run_values(run, job.outcome))
            self._keep_sheet(named, run)
            return named

        try:
            return await self._database.run(insert)
        except sqlite3.IntegrityError:
            raise
        except Exception:
            if self._sheets is not None:
                await asyncio.to_thread(self._sheets.drop, job.id)
            raise

    async def save(self, job: Job, run: Run) -> None:
        """Store how a job and its newest run stand now.

        Raises:
            sqlite3.Error, OSError: If it cannot be stored.
        """

        def update(connection: sqlite3.Connection) -> None:
            connection.execute(UPDATE_JOB, job_values(job))
            connection.execute(UPDATE_RUN, run_values(run, job.outcome))
            self._keep_sheet(job, run)

        await self._database.run(update)

    async def begin_another(self, stopped: JobRun, next_one: JobRun) -> None:
        """Store how a job's run ended, and that there is another one.

        Args:
            stopped: The job as it ended with that run, and the run.
            next_one: The same job, which goes on, and its new run.

        Raises:
            sqlite3.Error, OSError: If it cannot be stored; then neither is.
        """

        def put(connection: sqlite3.Connection) -> None:
            job, run = stopped
            connection.execute(UPDATE_RUN, run_values(run, job.outcome))
            job, run = next_one
            connection.execute(UPDATE_JOB, job_values(job))
            connection.execute(INSERT_RUN, run_values(run, job.outcome))
            self._keep_sheet(job, run)

        await self._database.run(put)

    async def find(self, job_id: str) -> JobRecord | None:
        """Return the job with that id, if there is one."""
        rows = await self._rows("SELECT * FROM job_records WHERE id = ?", (job_id,))
        return record_of(rows[0]) if rows else None

    async def earlier_runs(self, run: Run) -> EarlierRuns | None:
        """Return what the runs before `run` came to; `None` if it is the first."""
        sql = "SELECT * FROM runs WHERE job_id = ? AND number < ? ORDER BY number DESC LIMIT 1"
        rows = await self._rows(sql, (run.job_id, run.number))
        return earlier_runs_of(rows[0]) if rows else None

    async def has(self, job_id: str) -> bool:
        """Say whether a job has that id."""
        return bool(await self._rows("SELECT 1 FROM jobs WHERE id = ?", (job_id,)))

    async def called(self, wanted: str) -> list[Job]:
        """Return the jobs that have that id or name: by id first, then the newest first."""
        sql = (
            "SELECT * FROM job_records WHERE id = :wanted OR name = :wanted"
            " ORDER BY id = :wanted DESC, sequence DESC LIMIT :limit"
        )
        rows = await self._rows(sql, {"wanted": wanted, "limit": _NAMESAKES_LIMIT})
        return [record_of(row).job for row in rows]

    async def newest(self, limit: int, *, before: int | None = None) -> list[JobRecord]:
        """Return the newest jobs, newest first; with `before`, the newest of the older ones."""
        sql = (
            "SELECT * FROM job_records WHERE :before IS NULL OR sequence < :before"
            " ORDER BY sequence DESC LIMIT :limit"
        )
        rows = await self._rows(sql, {"before": before, "limit": limit})
        return [record_of(row) for row in rows]

    async def unsettled(self) -> list[JobRecord]:
        """Return the jobs that have not settled, oldest first."""
        sql = (
            "SELECT * FROM job_records"
            " WHERE status IN ('queued', 'running', 'waiting', 'parked') ORDER BY sequence"
        )
        return [record_of(row) for row in await self._rows(sql, ())]

    async def with_untold_ends(self) -> list[Job]:
        """Return the settled jobs whose end may be unknown to those who watch, oldest first."""
        sql = (
            "SELECT * FROM job_records WHERE is_end_told = 0"
            " AND status NOT IN ('queued', 'running', 'waiting', 'parked') ORDER BY sequence"
        )
        return [record_of(row).job for row in await self._rows(sql, ())]

    async def end_was_told(self, job: Job) -> None:
        """Record that those who watch know of a job's end, unless it has gone on since."""
        sql = (
            "UPDATE jobs SET is_end_told = 1 WHERE id = :id"
            " AND :run_number = (SELECT max(number) FROM runs WHERE job_id = :id)"
        )
        await self._rows(sql, {"id": job.id, "run_number": job.run_number})

    def _keep_sheet(self, job: Job, run: Run) -> None:
        # In the transaction: what is stored can always be known again.
        if self._sheets is not None:
            self._sheets.keep(job, run)

    async def _rows(self, sql: str, values: Sequence[Any] | dict[str, Any]) -> list[sqlite3.Row]:
        return await self._database.run(lambda c: c.execute(sql, values).fetchall())


_SELECT_NAMES = "SELECT DISTINCT name FROM jobs WHERE person_id = ?"
