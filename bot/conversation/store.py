"""Sessions in the database."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from bot.access import Place
from bot.conversation.session import Notify, Session, Streaming
from bot.speaker.speaker import Knobs, PermissionMode
from extensions.database import Database

_COLUMNS = (
    *("id", "name", "claude_session_id", "guild_id", "channel_id", "parent_id", "opened_by"),
    *("notify", "is_open", "created_at", "last_active_at", "opened_at", "has_own_thread"),
    *("model", "effort", "permission_mode", "mcp_servers", "streaming"),
)
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM sessions"  # noqa: S608 - no data in it
_SAVE = (
    f"INSERT INTO sessions ({', '.join(_COLUMNS)})"  # noqa: S608 - no data in it
    f" VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
    f" ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS)}"
)
_PAGE_LENGTH = 200

# As they are stored.
_NOTIFY = (Notify.OFF, Notify.ON, Notify.ALL)


class SessionStore:
    """Keeps sessions over restarts. Each method may raise sqlite3.Error."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, session: Session) -> None:
        """Store the session as it is; it is on the disk when this returns."""
        row = _row(session)
        await self._database.run(lambda connection: connection.execute(_SAVE, row))

    async def find(self, session_id: str) -> Session | None:
        """Return the session with that id, open or not."""
        found = await self._sessions("WHERE id = ?", session_id)
        return found[0] if found else None

    async def open_ones(self) -> list[Session]:
        """Return the sessions that are open, oldest first."""
        return await self._sessions("WHERE is_open = 1 ORDER BY created_at")

    async def newest(self, among: Callable[[Session], bool], limit: int) -> list[Session]:
        """Return the sessions that count, the last used first, at most `limit`."""
        # By their ids: between two pages a session may be used, and come up once more.
        found: dict[str, Session] = {}
        order = "ORDER BY max(last_active_at, opened_at) DESC, rowid DESC LIMIT ? OFFSET ?"
        offset = 0
        while page := await self._sessions(order, _PAGE_LENGTH, offset):
            found |= {session.id: session for session in page if among(session)}
            if len(found) >= limit or len(page) < _PAGE_LENGTH:
                break
            offset += _PAGE_LENGTH
        return list(found.values())[:limit]

    async def by_name(self, name: str, among: Callable[[Session], bool]) -> Session | None:
        """Return the session that is called so and counts; of several, the last used."""
        found = await self._sessions(
            "WHERE name = ? ORDER BY max(last_active_at, opened_at) DESC", name
        )
        return next((session for session in found if among(session)), None)

    async def newest_in_channel(self, channel_id: int) -> Session | None:
        """Return the session that was last open in that channel or thread."""
        found = await self._sessions(
            "WHERE channel_id = ? ORDER BY opened_at DESC, rowid DESC LIMIT 1", channel_id
        )
        return found[0] if found else None

    async def names_beside(self, place: Place, opened_by: int, *, but: str = "") -> frozenset[str]:
        """Return the names that are taken there: in the server, or that person's in private.

        Args:
            place: Where the session is held.
            opened_by: Who opened it.
            but: The id of the session whose own name is not taken.
        """
        rows = await self._rows(
            "SELECT name FROM sessions WHERE id != ? AND guild_id IS ?"
            " AND (guild_id IS NOT NULL OR opened_by = ?)",
            (but, place.guild_id, opened_by),
        )
        return frozenset(row["name"] for row in rows)

    async def own_threads(self) -> frozenset[int]:
        """Return the threads that were opened for a session."""
        rows = await self._rows("SELECT channel_id FROM sessions WHERE has_own_thread = 1", ())
        return frozenset(row["channel_id"] for row in rows)

    async def that_hear_of_all(self) -> list[Session]:
        """Return the open sessions in which it is told of everyone's jobs."""
        return [one for one in await self.open_ones() if one.notify is Notify.ALL]

    async def notifies(self, session_id: str) -> bool:
        """Say whether notices are on in that session, open or not."""
        session = await self.find(session_id)
        return session is not None and session.notify is not Notify.OFF

    async def _sessions(self, condition: str, *values: str | int) -> list[Session]:
        return [_session(row) for row in await self._rows(f"{_SELECT} {condition}", values)]

    async def _rows(self, statement: str, values: Sequence[str | int | None]) -> list[sqlite3.Row]:
        return await self._database.run(lambda c: c.execute(statement, values).fetchall())


def _row(session: Session) -> dict[str, Any]:
    knobs, place = session.knobs, session.place
    return {
        "id": session.id,
        "name": session.name,
        "claude_session_id": session.claude_session_id,
        "guild_id": place.guild_id,
        "channel_id": place.channel_id,
        "parent_id": place.parent_id,
        "opened_by": session.opened_by,
        "notify": _NOTIFY.index(session.notify),
        "is_open": session.is_open,
        "created_at": session.created_at,
        "last_active_at": session.last_active_at,
        "opened_at": session.opened_at,
        "has_own_thread": session.has_own_thread,
        "model": knobs.model,
        "effort": knobs.effort,
        "permission_mode": knobs.permission_mode,
        "mcp_servers": json.dumps(sorted(knobs.mcp_servers)),
        "streaming": session.streaming,
    }


def _session(row: sqlite3.Row) -> Session:
    mode = row["permission_mode"]
    return Session(
        id=row["id"],
        name=row["name"],
        place=Place(
            guild_id=row["guild_id"], channel_id=row["channel_id"], parent_id=row["parent_id"]
        ),
        opened_by=row["opened_by"],
        created_at=row["created_at"],
        last_active_at=row["last_active_at"],
        claude_session_id=row["claude_session_id"],
        notify=_NOTIFY[int(row["notify"])],
        knobs=Knobs(
            model=row["model"],
            effort=row["effort"],
            permission_mode=None if mode is None else PermissionMode(mode),
            mcp_servers=frozenset(json.loads(row["mcp_servers"])),
        ),
        streaming=Streaming(row["streaming"]),
        has_own_thread=bool(row["has_own_thread"]),
        opened_at=row["opened_at"],
        is_open=bool(row["is_open"]),
    )
