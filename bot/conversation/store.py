"""Sessions in the database."""

import sqlite3
from dataclasses import asdict

from bot.access import Place
from bot.conversation.session import Notify, Session
from extensions.database import Database

_COLUMNS = (
    "id, name, claude_session_id, guild_id, channel_id, opened_by, notify, is_open,"
    " created_at, last_active_at"
)


# As they are stored.
_NOTIFY = (Notify.OFF, Notify.ON, Notify.ALL)


class SessionStore:
    """Keeps sessions over restarts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, session: Session) -> None:
        """Store the session as it is; it is on the disk when this returns."""
        row = asdict(session) | asdict(session.place)
        row["notify"] = _NOTIFY.index(session.notify)
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

    async def that_hear_of_all(self) -> list[Session]:
        """Return the open sessions in which it is told of everyone's jobs."""
        return [one for one in await self.open_ones() if one.notify is Notify.ALL]

    async def notifies(self, session_id: str) -> bool:
        """Say whether notices are on in that session, open or not."""
        rows = await self._database.run(
            lambda connection: connection.execute(
                "SELECT notify FROM sessions WHERE id = ?", (session_id,)
            ).fetchall()
        )
        return bool(rows) and _NOTIFY[int(rows[0]["notify"])] is not Notify.OFF


def _session(row: sqlite3.Row) -> Session:
    return Session(
        id=row["id"],
        name=row["name"],
        place=Place(guild_id=row["guild_id"], channel_id=row["channel_id"]),
        opened_by=row["opened_by"],
        created_at=row["created_at"],
        last_active_at=row["last_active_at"],
        claude_session_id=row["claude_session_id"],
        notify=_NOTIFY[int(row["notify"])],
        is_open=bool(row["is_open"]),
    )
