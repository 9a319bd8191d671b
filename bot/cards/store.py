"""Where the cards stand, in the database."""

from bot.messenger import MessageRef
from extensions.database import Database


class CardStore:
    """Remembers which message is the card of which job."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, job_id: str, ref: MessageRef) -> None:
        """Remember that `ref` is the job's card."""
        await self._database.run(
            lambda connection: connection.execute(
                "INSERT OR REPLACE INTO cards (job_id, channel_id, message_id) VALUES (?, ?, ?)",
                (job_id, ref.channel_id, ref.message_id),
            )
        )

    async def is_final(self, job_id: str, *, is_final: bool) -> None:
        """Remember whether the job's card shows how the job ended."""
        await self._database.run(
            lambda connection: connection.execute(
                "UPDATE cards SET is_final = ? WHERE job_id = ?", (is_final, job_id)
            )
        )

    async def unfinished(self) -> list[str]:
        """Return the ids of the jobs whose cards do not show how they ended."""
        rows = await self._database.run(
            lambda connection: connection.execute(
                "SELECT job_id FROM cards WHERE is_final = 0"
            ).fetchall()
        )
        return [row["job_id"] for row in rows]

    async def find(self, job_id: str) -> MessageRef | None:
        """Return the job's card, if it has one."""
        row = await self._database.run(
            lambda connection: connection.execute(
                "SELECT channel_id, message_id FROM cards WHERE job_id = ?", (job_id,)
            ).fetchone()
        )
        if row is None:
            return None
        return MessageRef(channel_id=row["channel_id"], message_id=row["message_id"])
