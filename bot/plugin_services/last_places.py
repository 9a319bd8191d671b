"""For whom each plugin reached people last, and where: that outlasts a restart."""

import logging
import sqlite3

from extensions.database import Database
from extensions.hooks import NOWHERE, Occasion

logger = logging.getLogger(__name__)


class LastPlaces:
    """Remembers them in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, Occasion] = {}

    async def restore(self) -> None:
        """Recall those of earlier bots.

        Raises:
            sqlite3.Error: If they cannot be read.
        """
        rows = await self._database.run(
            lambda c: c.execute("SELECT * FROM plugin_places").fetchall()
        )
        self._known = {row["plugin_id"]: _occasion(row) for row in rows}

    def of(self, plugin_id: str) -> Occasion:
        """Return for whom a plugin reached people last; `NOWHERE` if it never did."""
        return self._known.get(plugin_id, NOWHERE)

    async def reached(self, plugin_id: str, occasion: Occasion) -> None:
        """Remember one; that it cannot be stored is logged."""
        kept = Occasion(
            session_id=occasion.session_id,
            person_id=occasion.person_id,
            guild_id=occasion.guild_id,
            channel_id=occasion.channel_id,
        )
        if kept.channel_id is None or self._known.get(plugin_id) == kept:
            return
        self._known[plugin_id] = kept
        values = (plugin_id, kept.session_id, kept.person_id, kept.guild_id, kept.channel_id)
        try:
            await self._database.run(lambda c: c.execute(_SAVE, values))
        except sqlite3.Error:
            # Until the next start it is known all the same.
            logger.exception("plugin %s: its last place is not stored", plugin_id)


_SAVE = """
    INSERT OR REPLACE INTO plugin_places (
        plugin_id, session_id, person_id, guild_id, channel_id
    ) VALUES (?, ?, ?, ?, ?)
"""


def _occasion(row: sqlite3.Row) -> Occasion:
    return Occasion(
        session_id=row["session_id"],
        person_id=row["person_id"],
        guild_id=row["guild_id"],
        channel_id=row["channel_id"],
    )
