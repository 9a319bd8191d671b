"""The entries that plugins keep with sessions, which no model is shown."""

import sqlite3
from collections.abc import Mapping
from typing import Any

import msgspec

from extensions.database import Database

MOST_ENTRIES = 1000
"""That a plugin may keep with a session; the oldest make room for new ones."""
MOST_ENTRY_BYTES = 64 * 1024
"""Of one entry, as JSON."""
MOST_SHOWN = 100
"""How many of the newest a plugin is given back."""
MOST_SHOWN_BYTES = 1024 * 1024


class EntryTooLargeError(Exception):
    """An entry is larger than any may be."""

    def __str__(self) -> str:
        return f"the entry is larger than {MOST_ENTRY_BYTES} bytes"


class EntryStore:
    """Keeps entries over restarts. Each method may raise sqlite3.Error."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(
        self, session_id: str, plugin_id: str, entry: Mapping[str, Any], *, at: float
    ) -> None:
        """Keep an entry; it is on the disk when this returns.

        Raises:
            EntryTooLargeError: If it is too large.
        """
        encoded = msgspec.json.encode(entry)
        if len(encoded) > MOST_ENTRY_BYTES:
            raise EntryTooLargeError

        def append(connection: sqlite3.Connection) -> None:
            connection.execute(_INSERT, (session_id, plugin_id, at, encoded))
            connection.execute(_MAKE_ROOM, (session_id, plugin_id, MOST_ENTRIES))

        await self._database.run(append)

    async def of(self, session_id: str, plugin_id: str) -> list[dict[str, Any]]:
        """Return the newest entries of a plugin with a session, the oldest of them first."""
        values = (session_id, plugin_id, MOST_SHOWN)
        rows = await self._database.run(lambda c: c.execute(_SELECT, values).fetchall())
        kept: list[dict[str, Any]] = []
        left = MOST_SHOWN_BYTES
        for row in rows:
            left -= len(row["entry"])
            if left < 0:
                break
            kept.append({"at": row["at"], "entry": msgspec.json.decode(row["entry"])})
        return kept[::-1]


_INSERT = "INSERT INTO plugin_entries (session_id, plugin_id, at, entry) VALUES (?, ?, ?, ?)"
_MAKE_ROOM = """
    DELETE FROM plugin_entries WHERE number IN (
        SELECT number FROM plugin_entries WHERE session_id = ? AND plugin_id = ?
        ORDER BY number DESC LIMIT -1 OFFSET ?
    )
"""
_SELECT = """
    SELECT at, entry FROM plugin_entries WHERE session_id = ? AND plugin_id = ?
    ORDER BY number DESC LIMIT ?
"""
