"""Who somebody is of whom only the id is known."""

import json
import sqlite3

from bot.access import Person, Place
from extensions.database import Database

NOBODY_KNOWN = "somebody"


class KnownPersons:
    """Looks people up in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, person_id: int, place: Place) -> Person:
        """Return a person as they were when they last wrote in the server of `place`.

        Of whom no message is kept there, no roles are known, so they have none.

        Raises:
            sqlite3.Error: If nobody could look.
        """
        values = (person_id, place.guild_id)
        row = await self._database.run(lambda c: _first(c, values))
        return Person(
            id=person_id,
            name=NOBODY_KNOWN if row is None else row["author_name"],
            guild_id=place.guild_id,
            role_ids=frozenset(json.loads("[]" if row is None else row["author_role_ids"])),
        )


_SELECT = """
    SELECT author_name, author_role_ids FROM messages WHERE author_id = ? AND guild_id IS ?
    ORDER BY arrived_at DESC, message_id DESC LIMIT 1
"""


def _first(connection: sqlite3.Connection, values: tuple[int, int | None]) -> sqlite3.Row | None:
    row: sqlite3.Row | None = connection.execute(_SELECT, values).fetchone()
    return row
