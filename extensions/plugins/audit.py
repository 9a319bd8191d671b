"""What plugins did, and what was done with them: kept in the database for the operator."""

import asyncio
import logging
import sqlite3
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from extensions.database import Database
from extensions.plugins.services import AuditKind

logger = logging.getLogger(__name__)

MOST_LINES = 10_000
"""How many are kept; the oldest go first."""
MOST_LINES_OF_A_KIND = 1_000
"""How many are kept of one kind about one plugin: none can have all others' lines removed."""
MOST_CHARACTERS = 1_000
"""How long a line may be; the rest of it is cut off."""

_MOST_WAITING = 1_000
"""How many may wait for the database; beyond that new ones are lost, and it is said how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """One line of the log."""

    id: int
    """Later ones have higher ones."""
    at: float
    """Unix time, in seconds."""
    kind: str
    """That of an older Papercup may be none of `AuditKind`."""
    plugin_id: str
    """Empty: of no plugin."""
    text: str
    """On one line; some of it is data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Note:
    at: float
    kind: AuditKind
    plugin_id: str
    text: str


class AuditWriter:
    """Keeps lines; implements `AuditLog`. Get one from `writing_audit`."""

    def __init__(
        self, database: Database, clock: Callable[[], float], redact: Callable[[str], str]
    ) -> None:
        self._database = database
        self._clock = clock
        self._redact = redact
        self._waiting: deque[_Note] = deque()
        self._lost = 0
        self._wake = asyncio.Event()

    def note(self, kind: AuditKind, plugin_id: str, text: str) -> None:
        """Keep one line; it never raises and never waits. Secrets are taken out of it."""
        if len(self._waiting) >= _MOST_WAITING:
            self._lost += 1
            return
        line = " ".join(self._redact(text).split())[:MOST_CHARACTERS]
        # A lone surrogate could not be written.
        line = line.encode("utf-8", "replace").decode()
        self._waiting.append(_Note(at=self._clock(), kind=kind, plugin_id=plugin_id, text=line))
        self._wake.set()

    async def write(self) -> None:
        """Write what comes, until it is cancelled."""
        while True:
            await self._wake.wait()
            await self.flush()

    async def flush(self) -> None:
        """Write what waits."""
        self._wake.clear()
        if notes := self._taken():
            await self._keep(notes)

    def _taken(self) -> list[_Note]:
        notes = list(self._waiting)
        self._waiting.clear()
        if self._lost:
            text = f"{self._lost} lines are lost, as too many came at once"
            notes.append(_Note(at=self._clock(), kind=AuditKind.REFUSED, plugin_id="", text=text))
            self._lost = 0
        return notes

    async def _keep(self, notes: list[_Note]) -> None:
        def write(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "INSERT INTO plugin_audit (noted_at, kind, plugin_id, line) VALUES (?, ?, ?, ?)",
                [(each.at, each.kind.value, each.plugin_id, each.text) for each in notes],
            )
            kinds = {(each.plugin_id, each.kind.value) for each in notes}
            connection.executemany(
                _THIN_OUT, [(*kind, *kind, MOST_LINES_OF_A_KIND) for kind in sorted(kinds)]
            )
            connection.execute(_CUT, (MOST_LINES,))

        try:
            await self._database.run(write)
        except sqlite3.Error:
            # The log of this process says it all the same; plugins go on.
            logger.exception("%d lines on plugins could not be kept", len(notes))


class AuditReader:
    """Reads what was kept."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self, limit: int, *, plugin_id: str | None = None) -> list[AuditLine]:
        """Return the newest lines, the oldest of them first."""
        order = (
            "SELECT * FROM plugin_audit WHERE ? IS NULL OR plugin_id = ? ORDER BY id DESC LIMIT ?"
        )
        lines = await self._read(order, (plugin_id, plugin_id, limit))
        return lines[::-1]

    async def after(
        self, line_id: int, limit: int, *, plugin_id: str | None = None
    ) -> list[AuditLine]:
        """Return the lines after that of an id, the oldest first."""
        order = (
            "SELECT * FROM plugin_audit WHERE id > ? AND (? IS NULL OR plugin_id = ?)"
            " ORDER BY id LIMIT ?"
        )
        return await self._read(order, (line_id, plugin_id, plugin_id, limit))

    async def _read(self, order: str, values: tuple[object, ...]) -> list[AuditLine]:
        def read(connection: sqlite3.Connection) -> list[AuditLine]:
            return [_line(row) for row in connection.execute(order, values)]

        return await self._database.run(read)


@asynccontextmanager
async def writing_audit(
    database: Database, *, clock: Callable[[], float], redact: Callable[[str], str]
) -> AsyncGenerator[AuditWriter, None]:
    """Yield a log that is written for as long as the block runs, and to its end when it ends.

    Args:
        database: Where it is kept.
        clock: Returns the Unix time.
        redact: Takes secrets out of a text.
    """
    writer = AuditWriter(database, clock, redact)
    try:
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(writer.write())
            try:
                yield writer
            finally:
                task.cancel()
    finally:
        # Not before: the end of the block may cancel what is in it.
        await writer.flush()


_THIN_OUT = """
    DELETE FROM plugin_audit WHERE plugin_id = ? AND kind = ? AND id <= (
        SELECT id FROM plugin_audit WHERE plugin_id = ? AND kind = ?
        ORDER BY id DESC LIMIT 1 OFFSET ?
    )
"""
_CUT = """
    DELETE FROM plugin_audit
    WHERE id <= (SELECT id FROM plugin_audit ORDER BY id DESC LIMIT 1 OFFSET ?)
"""


def _line(row: sqlite3.Row) -> AuditLine:
    return AuditLine(
        id=row["id"],
        at=row["noted_at"],
        kind=row["kind"],
        plugin_id=row["plugin_id"],
        text=row["line"],
    )
