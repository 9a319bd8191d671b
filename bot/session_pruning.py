"""Deletes sessions that nobody has used for long, with all that was said in them."""

import asyncio
import logging
import shutil
import sqlite3
from collections.abc import Sequence
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

        A session goes first, its files after it: those of one that was cut off in between are
        deleted the next time.

        Args:
            now: Unix time, in seconds.

        Raises:
            sqlite3.Error: If the database refuses it.
            OSError: If files cannot be deleted.
        """
        if self._days is None:
            return []
        before = now - self._days * _DAY_SECONDS
        deleted = await self._database.run(lambda connection: _delete(connection, before))
        known = await self._database.run(_ids)
        await asyncio.to_thread(self._delete_files, known, before)
        for session_id in deleted:
            logger.info("session %s: deleted, as nobody has used it for long", session_id)
        return deleted

    def _delete_files(self, known: frozenset[str], before: float) -> None:
        """Delete the files of sessions that there are no more, but none that are new."""
        for folder in self._folder.sessions.glob("*"):
            if folder.name in known or folder.lstat().st_mtime >= before:
                continue
            home = self._folder.home.resolve()
            place = JailedPlace(folder=folder.resolve(), home=home, session_id=folder.name)
            logs = home / ".cache" / "claude-cli-nodejs" / place.transcripts.name
            # The folder last: what it is known by.
            for path in (place.transcripts, logs, home / "tmp" / folder.name, folder):
                _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)


def _delete(connection: sqlite3.Connection, before: float) -> list[str]:
    rows = connection.execute(_OLD, (before, _MOST_AT_ONCE)).fetchall()
    ids = [str(row["id"]) for row in rows]
    for statement in _DELETE:
        connection.executemany(statement, [(each,) for each in ids])
    return ids


def _ids(connection: sqlite3.Connection) -> frozenset[str]:
    return frozenset(str(row["id"]) for row in connection.execute("SELECT id FROM sessions"))


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
    "DELETE FROM transcripts WHERE session_id = ?",
    "DELETE FROM plugin_entries WHERE session_id = ?",
    "DELETE FROM sessions WHERE id = ?",
)
