"""What recovering jobs reads from the database, and writes to it."""

import json
import sqlite3
from collections.abc import Sequence

from extensions.database import Database
from extensions.jobs.job import JobStatus
from extensions.jobs.record import JobRecord
from extensions.jobs.recovery import Recovered, Standing
from extensions.jobs.rows import INSERT_JOB, INSERT_RUN, job_values, record_of, run_values


class RecoveryStore:
    """The jobs of a database that may have lost some."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def records(self, job_ids: Sequence[str]) -> dict[str, JobRecord]:
        """Return those of these jobs that are stored, by id."""
        rows = await self._rows(_SELECT_RECORDS, job_ids)
        return {row["id"]: record_of(row) for row in rows}

    async def standings(self, job_ids: Sequence[str]) -> dict[str, Standing]:
        """Return how far those of these jobs have come that are stored, by id."""
        rows = await self._rows(_SELECT_STANDINGS, job_ids)
        return {
            row["id"]: Standing(status=JobStatus(row["status"]), latest_at=row["latest_at"])
            for row in rows
        }

    async def restore(self, found: Sequence[Recovered]) -> None:
        """Store jobs as they were found elsewhere, all or none, the oldest first.

        Raises:
            sqlite3.Error: If they cannot be stored.
        """

        def put(connection: sqlite3.Connection) -> None:
            for one in sorted(found, key=lambda one: one.job.created_at):
                connection.execute(_PUT_JOB, job_values(one.job))
                connection.execute(_PUT_RUN, run_values(one.run, one.job.outcome))
                if one.is_end_told:
                    connection.execute(_END_TOLD, (one.job.id,))

        await self._database.run(put)

    async def _rows(self, sql: str, job_ids: Sequence[str]) -> list[sqlite3.Row]:
        values = (json.dumps(job_ids),)
        return await self._database.run(lambda c: c.execute(sql, values).fetchall())


_SELECT_RECORDS = "SELECT * FROM job_records WHERE id IN (SELECT value FROM json_each(?))"
_SELECT_STANDINGS = """
    SELECT jobs.id, jobs.status, max(
        jobs.created_at, coalesce(max(runs.started_at), 0), coalesce(max(runs.ended_at), 0)
    ) AS latest_at
    FROM jobs JOIN runs ON runs.job_id = jobs.id
    WHERE jobs.id IN (SELECT value FROM json_each(?))
    GROUP BY jobs.id
"""
_PUT_JOB = f"""
    {INSERT_JOB}
    ON CONFLICT (id) DO UPDATE SET
        status = excluded.status, pid = excluded.pid, started_at = excluded.started_at,
        finished_at = excluded.finished_at, is_end_told = 0
"""
_PUT_RUN = f"""
    {INSERT_RUN}
    ON CONFLICT (job_id, number) DO UPDATE SET
        claude_session_id = excluded.claude_session_id, token_hash = excluded.token_hash,
        started_at = excluded.started_at, ended_at = excluded.ended_at,
        resumed_because = excluded.resumed_because, count_goes_on = excluded.count_goes_on,
        status = excluded.status, summary = excluded.summary, error = excluded.error,
        cost_usd = excluded.cost_usd, cost_is_partial = excluded.cost_is_partial,
        turns = excluded.turns, refused_actions = excluded.refused_actions,
        failed_servers = excluded.failed_servers
"""
_END_TOLD = "UPDATE jobs SET is_end_told = 1 WHERE id = ?"
