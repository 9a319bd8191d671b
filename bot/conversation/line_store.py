"""Voice lines in the database: those that are open."""

import sqlite3
from dataclasses import dataclass

from bot.access import Place
from extensions.database import Database
from voice.events import LineMode


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptLine:
    """A voice line, as far as a later bot has to know. Never changed in place."""

    id: str
    """Of its status message."""
    place: Place
    """The voice channel, in a server."""
    mode: LineMode
    voice: str | None = None
    """In which voice it speaks; `None`: the configured one."""
    is_muted: bool = False
    """Whether it does not listen."""
    opened_at: float
    """Unix time, in seconds."""


class LineStore:
    """Keeps open lines over restarts, one of a server. Each method may raise sqlite3.Error."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, line: KeptLine) -> None:
        """Store the line of its server as it is."""
        values = (
            *(line.place.guild_id, line.place.channel_id, line.id, line.mode.value),
            *(line.voice, line.is_muted, line.opened_at),
        )
        await self._database.run(lambda c: c.execute(_SAVE, values))

    async def forget(self, guild_id: int) -> None:
        """Delete the line of a server: it has ended."""
        sql = "DELETE FROM lines WHERE guild_id = ?"
        await self._database.run(lambda c: c.execute(sql, (guild_id,)))

    async def all(self) -> list[KeptLine]:
        """Return those that are open, the oldest first."""
        sql = "SELECT * FROM lines ORDER BY opened_at"
        rows = await self._database.run(lambda c: c.execute(sql).fetchall())
        return [_line(row) for row in rows]


_SAVE = """
    INSERT OR REPLACE INTO lines
    (guild_id, channel_id, line_id, mode, voice, is_muted, opened_at) VALUES (?, ?, ?, ?, ?, ?, ?)
"""


def _line(row: sqlite3.Row) -> KeptLine:
    return KeptLine(
        id=row["line_id"],
        place=Place(guild_id=row["guild_id"], channel_id=row["channel_id"]),
        mode=LineMode(row["mode"]),
        voice=row["voice"],
        is_muted=bool(row["is_muted"]),
        opened_at=row["opened_at"],
    )
