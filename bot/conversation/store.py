"""Sessions in the database."""

import sqlite3
from dataclasses import asdict

from bot.access import Place
from bot.conversation.session import Session
from extensions.database import Database

_COLUMNS = (
    "id, name, claude_session_id, guild_id, channel_id, opened_by, notify, is_open,"
    " created_at, last_active_at"
)


class SessionStore:
    """Keeps sessions over restarts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, session: Session) -> None:
        """Store the session as it is; it is on the disk when this returns."""
        row = asdict(session) | asdict(session.place)
        names = ", ".join(f":{name.strip()}" for name in _COLUMNS.split(","))
        changes = ", ".join(
            f"{name.strip()} = excluded.{name.strip()}" for name in _COLUMNS.split(",")
        )
        statement = (
            f"INSERT INTO sessions ({_COLUMNS}) VALUES ({names})"  # noqa: S608 - no data in it
            f" ON CONFLICT (id) DO UPDATE SET {changes}"
        )
        del row["place"]
        await self._database.run(lambda connection: connection.execute(statement, row))

    async def open_ones(self) -> list[Session]:
        """Return the sessions that are open, oldest first."""
        statement = f"SELECT {_COLUMNS} FROM sessions WHERE is_open = 1 ORDER BY created_at"  # noqa: S608 - no data in it
        rows = await self._database.run(lambda connection: connection.execute(statement).fetchall())
        return [_session(row) for row in rows]

    async def notifies(self, session_id: str) -> bool:
        """Say whether notices are on in that session, open or not."""
        rows = await self._database.run(
            lambda connection: connection.execute(
                "SELECT notify FROM sessions WHERE id = ?", (session_id,)
            ).fetchall()
        )
        return bool(rows and rows[0]["notify"])


def _session(row: sqlite3.Row) -> Session:
    return Session(
        id=row["id"],
        name=row["name"],
        place=Place(guild_id=row["guild_id"], channel_id=row["channel_id"]),
        opened_by=row["opened_by"],
        created_at=row["created_at"],
        last_active_at=row["last_active_at"],
        claude_session_id=row["claude_session_id"],
        notify=bool(row["notify"]),
        is_open=bool(row["is_open"]),
    )
