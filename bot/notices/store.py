"""Notices in the database: which are owed, and which have arrived."""

from dataclasses import dataclass

from bot.access import Place
from bot.messenger import MessageRef
from extensions.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class OwedNotice:
    """A notice that has not arrived yet."""

    job_id: str
    place: Place


class NoticeStore:
    """Keeps account of notices over restarts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def owe(self, notice: OwedNotice, *, at: float) -> bool:
        """Record that a notice is owed; `False` if one for the same job and place was before."""
        inserted = await self._database.run(
            lambda connection: (
                connection.execute(
                    "INSERT OR IGNORE INTO notices (job_id, guild_id, channel_id, recorded_at)"
                    " VALUES (?, ?, ?, ?)",
                    (notice.job_id, notice.place.guild_id, notice.place.channel_id, at),
                ).rowcount
            )
        )
        return inserted == 1

    async def arrived(self, notice: OwedNotice, ref: MessageRef) -> None:
        """Record where a notice arrived."""
        await self._database.run(
            lambda connection: connection.execute(
                "UPDATE notices SET message_id = ? WHERE job_id = ? AND channel_id = ?",
                (ref.message_id, notice.job_id, notice.place.channel_id),
            )
        )

    async def owed(self) -> list[OwedNotice]:
        """Return the notices that have not arrived, oldest first."""
        rows = await self._database.run(
            lambda connection: connection.execute(
                "SELECT job_id, guild_id, channel_id FROM notices WHERE message_id IS NULL"
                " ORDER BY recorded_at"
            ).fetchall()
        )
        return [
            OwedNotice(
                job_id=row["job_id"],
                place=Place(guild_id=row["guild_id"], channel_id=row["channel_id"]),
            )
            for row in rows
        ]
