"""Jobs and their runs, as rows of the database."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from extensions.database import Database
from extensions.jobs.job import Job, JobStatus, Origin, Outcome
from extensions.jobs.naming import unclashed
from extensions.jobs.run import Run

_NAMESAKES_LIMIT = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """A job as it is stored."""

    sequence: int
    """The newer of two jobs has the higher number."""
    job: Job
    run: Run
    """Its newest run."""


class JobStore:
    """The jobs in a database; what a method changed is on the disk when it returns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, job: Job, run: Run) -> Job:
        """Store a new job and its first run.

        Returns:
            The job, with another name if a job of the same person has its name already.

        Raises:
            sqlite3.Error: If it cannot be stored, or a job has its id already.
        """

        def insert(connection: sqlite3.Connection) -> Job:
            names = connection.execute(_SELECT_NAMES, (job.origin.person_id,))
            named = replace(job, name=unclashed(job.name, {name for (name,) in names}))
            connection.execute(_INSERT_JOB, _job_values(named))
            connection.execute(_INSERT_RUN, _run_values(run, job.outcome))
            return named

        return await self._database.run(insert)

    async def save(self, job: Job, run: Run) -> None:
        """Store how a job and its newest run stand now.

        Raises:
            sqlite3.Error: If it cannot be stored.
        """

        def update(connection: sqlite3.Connection) -> None:
            connection.execute(_UPDATE_JOB, _job_values(job))
            connection.execute(_UPDATE_RUN, _run_values(run, job.outcome))

        await self._database.run(update)

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
        return [_record_of(row).job for row in rows]

    async def newest(self, limit: int, *, before: int | None = None) -> list[JobRecord]:
        """Return the newest jobs, newest first; with `before`, the newest of the older ones."""
        sql = (
            "SELECT * FROM job_records WHERE :before IS NULL OR sequence < :before"
            " ORDER BY sequence DESC LIMIT :limit"
        )
        rows = await self._rows(sql, {"before": before, "limit": limit})
        return [_record_of(row) for row in rows]

    async def unsettled(self) -> list[JobRecord]:
        """Return the jobs that have not settled, oldest first."""
        sql = (
            "SELECT * FROM job_records"
            " WHERE status IN ('queued', 'running', 'waiting', 'parked') ORDER BY sequence"
        )
        return [_record_of(row) for row in await self._rows(sql, ())]

    async def with_untold_ends(self) -> list[Job]:
        """Return the settled jobs whose end may be unknown to those who watch, oldest first."""
        sql = (
            "SELECT * FROM job_records WHERE is_end_told = 0"
            " AND status NOT IN ('queued', 'running', 'waiting', 'parked') ORDER BY sequence"
        )
        return [_record_of(row).job for row in await self._rows(sql, ())]

    async def end_was_told(self, job_id: str) -> None:
        """Record that those who watch know of a job's end."""
        await self._rows("UPDATE jobs SET is_end_told = 1 WHERE id = ?", (job_id,))

    async def _rows(self, sql: str, values: Sequence[Any] | dict[str, Any]) -> list[sqlite3.Row]:
        return await self._database.run(lambda c: c.execute(sql, values).fetchall())


_SELECT_NAMES = "SELECT DISTINCT name FROM jobs WHERE person_id = ?"
_INSERT_JOB = """
    INSERT INTO jobs (id, name, task, session_id, person_id, guild_id, channel_id, folder, jail,
                      created_at, status, pid, started_at, finished_at)
    VALUES (:id, :name, :task, :session_id, :person_id, :guild_id, :channel_id, :folder, :jail,
            :created_at, :status, :pid, :started_at, :finished_at)
"""
_UPDATE_JOB = """
    UPDATE jobs SET status = :status, pid = :pid, started_at = :started_at,
                    finished_at = :finished_at
    WHERE id = :id
"""
_INSERT_RUN = """
    INSERT INTO runs (job_id, number, claude_session_id, token_hash, started_at, ended_at, status,
                      summary, error, cost_usd, turns, refused_actions, failed_servers)
    VALUES (:job_id, :number, :claude_session_id, :token_hash, :started_at, :ended_at, :status,
            :summary, :error, :cost_usd, :turns, :refused_actions, :failed_servers)
"""
_UPDATE_RUN = """
    UPDATE runs SET token_hash = :token_hash, started_at = :started_at, ended_at = :ended_at,
                    status = :status, summary = :summary, error = :error, cost_usd = :cost_usd,
                    turns = :turns, refused_actions = :refused_actions,
                    failed_servers = :failed_servers
    WHERE job_id = :job_id AND number = :number
"""


def _job_values(job: Job) -> dict[str, Any]:
    return {
        "id": job.id,
        "name": job.name,
        "task": job.task,
        "session_id": job.origin.session_id,
        "person_id": job.origin.person_id,
        "guild_id": job.origin.guild_id,
        "channel_id": job.origin.channel_id,
        "folder": job.folder,
        "jail": job.jail,
        "created_at": job.created_at,
        "status": job.status.value,
        "pid": job.pid,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
    }


def _run_values(run: Run, outcome: Outcome | None) -> dict[str, Any]:
    return {
        "job_id": run.job_id,
        "number": run.number,
        "claude_session_id": run.claude_session_id,
        "token_hash": run.token_hash,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "status": None if outcome is None else outcome.status.value,
        "summary": None if outcome is None else outcome.summary,
        "error": None if outcome is None else outcome.error,
        "cost_usd": None if outcome is None else outcome.cost_usd,
        "turns": None if outcome is None else outcome.turns,
        "refused_actions": None if outcome is None else json.dumps(outcome.refused_actions),
        "failed_servers": None if outcome is None else json.dumps(outcome.failed_servers),
    }


def _record_of(row: sqlite3.Row) -> JobRecord:
    return JobRecord(sequence=row["sequence"], job=_job_of(row), run=_run_of(row))


def _job_of(row: sqlite3.Row) -> Job:
    return Job(
        id=row["id"],
        name=row["name"],
        task=row["task"],
        origin=Origin(
            session_id=row["session_id"],
            person_id=row["person_id"],
            guild_id=row["guild_id"],
            channel_id=row["channel_id"],
        ),
        folder=row["folder"],
        jail=row["jail"],
        created_at=row["created_at"],
        status=JobStatus(row["status"]),
        pid=row["pid"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        outcome=_outcome_of(row),
    )


def _run_of(row: sqlite3.Row) -> Run:
    return Run(
        job_id=row["id"],
        number=row["run_number"],
        claude_session_id=row["claude_session_id"],
        token_hash=row["token_hash"],
        started_at=row["run_started_at"],
        ended_at=row["run_ended_at"],
    )


def _outcome_of(row: sqlite3.Row) -> Outcome | None:
    if row["outcome"] is None:
        return None
    return Outcome(
        status=JobStatus(row["outcome"]),
        summary=row["summary"],
        error=row["error"],
        cost_usd=row["cost_usd"],
        turns=row["turns"],
        refused_actions=tuple(json.loads(row["refused_actions"])),
        failed_servers=tuple(json.loads(row["failed_servers"])),
    )
