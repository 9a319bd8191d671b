"""How the model's last answer to each running job came, kept so that it outlives the bot."""

from extensions.database import Database


class AnswerMarks:
    """The marks of the jobs that run."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, job_id: str, mark: str) -> None:
        """Store `open`, `cut` or `whole` for a job's run that has not ended.

        Raises:
            sqlite3.Error: If it cannot be stored.
        """
        sql = "UPDATE runs SET last_answer = ? WHERE job_id = ? AND ended_at IS NULL"
        await self._database.run(lambda connection: connection.execute(sql, (mark, job_id)))

    async def not_whole(self) -> list[str]:
        """Return the jobs that run and whose last answer was not seen to come whole."""
        sql = "SELECT job_id FROM runs WHERE ended_at IS NULL AND last_answer IN ('open', 'cut')"
        rows = await self._database.run(lambda connection: connection.execute(sql).fetchall())
        return [row["job_id"] for row in rows]
