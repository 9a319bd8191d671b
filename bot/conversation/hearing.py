"""Until when people were heard without a gap, over restarts."""

import sqlite3

from extensions.database import Database

OVERLAP_SECONDS = 120.0
"""Of what was just heard, so much counts as unheard: a connection that is dead looks alive for more
than a minute, and Discord's clock is not this machine's."""

_SELECT = "SELECT until FROM hearing"
_STORE = "INSERT OR REPLACE INTO hearing VALUES (1, ?)"


class Hearing:
    """Knows until when people were heard. Get it from `recall_hearing`."""

    def __init__(self, database: Database, until: float) -> None:
        self._database = database
        self._until = until

    @property
    def until(self) -> float:
        """Unix time, in seconds: whatever was written before was heard, or is nobody's business."""
        return self._until

    async def heard(self, at: float) -> None:
        """Store that all was heard that was written before then; nothing is ever unheard again.

        Raises:
            sqlite3.Error: If it was not stored; then it is as it was.
        """
        until = at - OVERLAP_SECONDS
        if until > self._until:
            await self._database.run(lambda connection: connection.execute(_STORE, (until,)))
            self._until = until


async def recall_hearing(database: Database, *, now: float) -> Hearing:
    """Return until when an earlier bot heard people; the first one ever hears them from now on.

    Raises:
        sqlite3.Error: If nobody could look, or that was not stored.
    """

    def recall(connection: sqlite3.Connection) -> float:
        row = connection.execute(_SELECT).fetchone()
        if row is None:
            connection.execute(_STORE, (now,))
            return now
        # Where it is later than now, the clock was wrong.
        return min(float(row["until"]), now)

    return Hearing(database, await database.run(recall))
