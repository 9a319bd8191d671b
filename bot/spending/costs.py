"""What was spent, and when."""

import sqlite3

from bot.spending.arithmetic import EndedRun, cost_since, is_cost, midnight_before
from extensions.database import Database

KEPT_SECONDS = 400 * 86_400.0
"""For how long charges are kept: long enough to look back a year."""

_CHARGE = "INSERT INTO speaker_charges (session_id, at, usd) VALUES (?, ?, ?)"
_CHARGED_SINCE = "SELECT total(usd) FROM speaker_charges WHERE at >= ?"
_RUNS_OF_JOBS_SINCE = """
    SELECT job_id, ended_at, cost_usd FROM runs
    WHERE ended_at IS NOT NULL AND cost_usd IS NOT NULL
    AND job_id IN (SELECT job_id FROM runs WHERE ended_at >= ?)
"""
_FORGET = "DELETE FROM speaker_charges WHERE at < ?"


class CostBook:
    """Keeps what speakers have cost, and adds to it what jobs have."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def charge_speaker(self, session_id: str, usd: float, *, at: float) -> None:
        """Store what a turn of a session's speaker has cost; it is on the disk when this returns.

        Args:
            session_id: The session's id.
            usd: US dollars.
            at: Unix time, in seconds.

        Raises:
            ValueError: If nothing can cost that.
        """
        if not is_cost(usd):
            raise ValueError(usd)
        await self._database.run(
            lambda connection: connection.execute(_CHARGE, (session_id, at, usd))
        )

    async def today(self, now: float) -> float:
        """Return what was spent since midnight where this machine is, in US dollars.

        A job counts once a run of it has ended.
        """
        midnight = midnight_before(now)

        def look(connection: sqlite3.Connection) -> tuple[float, list[sqlite3.Row]]:
            (charged,) = connection.execute(_CHARGED_SINCE, (midnight,)).fetchone()
            return charged, connection.execute(_RUNS_OF_JOBS_SINCE, (midnight,)).fetchall()

        charged, rows = await self._database.run(look)
        runs = [
            EndedRun(job_id=row["job_id"], ended_at=row["ended_at"], cost_usd=row["cost_usd"])
            for row in rows
        ]
        return charged + cost_since(runs, midnight)

    async def forget(self, before: float) -> None:
        """Forget the charges of speakers from before that time; Unix time, in seconds."""
        await self._database.run(lambda connection: connection.execute(_FORGET, (before,)))
