"""Transcripts in the database: what was said on voice lines, for as long as is wanted."""

import sqlite3

from bot.conversation.transcript import SaidHow, TranscriptLine
from extensions.database import Database

_DAY_SECONDS = 86_400.0
_CUT = " …"


class TranscriptStore:
    """Keeps what was said. Each method may raise sqlite3.Error."""

    def __init__(self, database: Database, *, days: float) -> None:
        """Make it.

        Args:
            database: Where it is kept.
            days: For how long; 0: not at all.
        """
        self._database = database
        self.days = days
        """For how many days it is kept what was said; 0: not at all."""

    async def add(self, session_id: str, line: TranscriptLine) -> None:
        """Keep a line."""
        if self.days <= 0:
            return
        text = line.text + _CUT if line.is_cut else line.text
        values = (session_id, line.at, line.person_id, line.name, line.how.value, text)
        await self._database.run(lambda c: c.execute(_INSERT, values))

    async def newest(self, session_id: str, limit: int) -> list[TranscriptLine]:
        """Return the newest lines of a session, in order."""
        values = (session_id, limit)
        rows = await self._database.run(lambda c: c.execute(_SELECT, values).fetchall())
        return [_line(row) for row in reversed(rows)]

    async def forget_old(self, *, now: float) -> None:
        """Delete what is older than is wanted; all of it, if nothing is to be kept.

        Args:
            now: Unix time, in seconds.
        """
        sql, oldest = "DELETE FROM transcripts WHERE said_at <= ?", now - self.days * _DAY_SECONDS
        await self._database.run(lambda c: c.execute(sql, (oldest,)))


_INSERT = """
    INSERT INTO transcripts (session_id, said_at, person_id, name, kind, text)
    VALUES (?, ?, ?, ?, ?, ?)
"""
_SELECT = """
    SELECT * FROM transcripts WHERE session_id = ? ORDER BY said_at DESC, rowid DESC LIMIT ?
"""


def _line(row: sqlite3.Row) -> TranscriptLine:
    return TranscriptLine(
        at=row["said_at"],
        person_id=row["person_id"],
        name=row["name"],
        text=row["text"],
        how=SaidHow(row["kind"]),
    )
