"""Deletes sessions that nobody has used for long, with all that was said in them."""

import asyncio
import logging
import shutil
import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bot.data_folder import DataFolder
from bot.speaker.jailed import JailedPlace
from extensions.database import Database

_DAY_SECONDS = 24 * 3600
_MOST_AT_ONCE = 1000

logger = logging.getLogger(__name__)


class SessionPruning:
    """Deletes old sessions. Those that are open are never deleted."""

    def __init__(self, database: Database, folder: DataFolder, days: float | None) -> None:
        """Take what it needs.

        Args:
            database: Knows the sessions.
            folder: Where their files are.
            days: For how many days a session is kept that nobody uses; `None`: for good.
        """
        self._database = database
        self._folder = folder
        self._days = days

    async def prune(self, *, now: float) -> Sequence[str]:
        """Delete what is too old, and return the ids of these sessions.

        That a session is deleted is stored first, and its files go after it: those of one that was
        cut off in between go the next time. Files of which nothing is stored are left alone.

        Args:
            now: Unix time, in seconds.

        Raises:
            sqlite3.Error: If the database refuses it.
        """
        if self._days is None:
            return []
        before = now - self._days * _DAY_SECONDS
        deleted = await self._database.run(lambda connection: _delete(connection, before))
        for session_id in await self._database.run(_with_files):
            try:
                await asyncio.to_thread(self._delete_files, session_id)
            except OSError as error:
                # It is tried again with the next pruning, and holds nothing else up.
                logger.warning("session %s: its files cannot be deleted: %s", session_id, error)
            else:
                await self._database.run(partial(_forget, session_id))
        for session_id in deleted:
            logger.info("session %s: deleted, as nobody has used it for long", session_id)
        return deleted

    def _delete_files(self, session_id: str) -> None:
        home = self._folder.home.resolve()
        folder = self._folder.sessions.resolve() / session_id
        place = JailedPlace(folder=folder, home=home, session_id=session_id)
        logs = home / ".cache" / "claude-cli-nodejs" / place.transcripts.name
        for path in (place.transcripts, logs, home / "tmp" / session_id, folder):
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_symlink():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


def _delete(connection: sqlite3.Connection, before: float) -> list[str]:
    rows = connection.execute(_OLD, (before, _MOST_AT_ONCE)).fetchall()
    ids = [str(row["id"]) for row in rows]
    for statement in _DELETE:
        connection.executemany(statement, [(each,) for each in ids])
    return ids


def _with_files(connection: sqlite3.Connection) -> list[str]:
    return [str(row["id"]) for row in connection.execute("SELECT id FROM deleted_sessions")]


def _forget(session_id: str, connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM deleted_sessions WHERE id = ?", (session_id,))


_OLD = """
    SELECT id FROM sessions
    WHERE is_open = 0 AND max(last_active_at, opened_at) < ?
    AND NOT EXISTS (
        SELECT 1 FROM jobs WHERE jobs.session_id = sessions.id AND jobs.is_end_told = 0
    )
    AND NOT EXISTS (
        SELECT 1 FROM messages
        WHERE messages.session_id = sessions.id AND messages.state = 'answering'
    )
    ORDER BY max(last_active_at, opened_at) LIMIT ?
"""
_DELETE = (
    "INSERT OR IGNORE INTO deleted_sessions VALUES (?)",
    "DELETE FROM transcripts WHERE session_id = ?",
    "DELETE FROM plugin_entries WHERE session_id = ?",
    "DELETE FROM sessions WHERE id = ?",
)
