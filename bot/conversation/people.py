"""Who is known to be in a place: whoever ever did something there that the bot has stored."""

import json
import sqlite3

from bot.access import Person, Place
from extensions.database import Database


class KnownPeople:
    """Looks people up in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, place: Place) -> list[Person]:
        """Return who wrote to the bot in `place`, had a job started, or opened a conversation.

        Whoever did nothing but read there is not known. Roles are those that a person had when
        they wrote last; of whom no message is kept, none are known.

        Raises:
            sqlite3.Error: If nobody could look.
        """
        values = {"channel": place.channel_id}
        rows = await self._database.run(lambda c: c.execute(_SELECT, values).fetchall())
        return [_person(row, place) for row in rows]


_SELECT = """
    WITH people AS (
        SELECT author_id AS id FROM messages WHERE channel_id = :channel
        UNION SELECT person_id FROM jobs WHERE channel_id = :channel
        UNION SELECT opened_by FROM sessions WHERE channel_id = :channel
    )
    SELECT
        people.id,
        (
            SELECT author_role_ids FROM messages
            WHERE author_id = people.id AND channel_id = :channel
            ORDER BY arrived_at DESC, message_id DESC LIMIT 1
        ) AS role_ids
    FROM people ORDER BY people.id
"""


def _person(row: sqlite3.Row, place: Place) -> Person:
    return Person(
        id=row["id"],
        name="",
        guild_id=place.guild_id,
        role_ids=frozenset(json.loads(row["role_ids"] or "[]")),
    )
