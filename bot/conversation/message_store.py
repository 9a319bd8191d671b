"""Messages in the database: each stands there before anything else is done about it."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from bot.access import Person, Place
from bot.conversation.incoming import IncomingMessage
from bot.conversation.message_record import MessageRecord, MessageState
from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from extensions.database import Database


class MessageStore:
    """Keeps account of messages over restarts.

    What a message says, and what it was answered, is kept until the answer is shown.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def accept(self, message: IncomingMessage, *, at: float) -> bool:
        """Store a message that is to be answered; `False` if it is known already.

        Raises:
            sqlite3.Error: If it cannot be stored.
        """
        values = {
            "message_id": message.ref.message_id,
            "guild_id": message.place.guild_id,
            "channel_id": message.place.channel_id,
            "author_id": message.author.id,
            "author_name": message.author.name,
            "author_guild_id": message.author.guild_id,
            "author_role_ids": json.dumps(sorted(message.author.role_ids)),
            "text": message.text,
            "arrived_at": at,
        }
        return await self._database.run(lambda c: c.execute(_INSERT, values).rowcount) == 1

    async def begun(self, turn: Turn, *, session_id: str, at: float) -> None:
        """Store that a turn's messages are being answered, together.

        Raises:
            sqlite3.Error: If it cannot be stored.
        """
        newest = turn.asked_in.message_id
        rows = [(session_id, at, newest, ref.message_id) for ref in (*turn.joined, turn.asked_in)]
        await self._database.run(lambda c: c.executemany(_BEGIN, rows))

    async def shown_in(self, turn: Turn, refs: Sequence[MessageRef]) -> None:
        """Store in which messages the turn's answer stands, or a part of it."""
        ids = json.dumps([ref.message_id for ref in refs])
        sql = "UPDATE messages SET shown_in = ? WHERE message_id = ?"
        await self._write(sql, (ids, turn.asked_in.message_id))

    async def answer_is_whole(self, turn: Turn, text: str) -> None:
        """Store a turn's whole answer, so that it can be shown whatever happens."""
        sql = "UPDATE messages SET answer = ? WHERE message_id = ?"
        await self._write(sql, (text, turn.asked_in.message_id))

    async def finished(self, turn: Turn, state: MessageState) -> None:
        """Store that nothing more is to be done about a turn's messages."""
        refs = (*turn.joined, turn.asked_in)
        rows = [(state.value, ref.message_id) for ref in refs]
        await self._database.run(lambda c: c.executemany(_FINISH, rows))

    async def unanswered(self) -> list[MessageRecord]:
        """Return the messages whose answer is not shown yet, oldest first."""
        rows = await self._database.run(lambda c: c.execute(_SELECT_UNANSWERED).fetchall())
        return [_record(row) for row in rows]

    async def newest_in(self, channel_id: int) -> int | None:
        """Return the id of the newest message that was taken in a channel."""
        sql = "SELECT max(message_id) AS newest FROM messages WHERE channel_id = ?"
        rows = await self._database.run(lambda c: c.execute(sql, (channel_id,)).fetchall())
        newest: int | None = rows[0]["newest"]
        return newest

    async def forget(self, *, before: float) -> None:
        """Delete what is finished and came before that; the newest in each channel stays."""
        await self._write(_FORGET, (before,))

    async def _write(self, sql: str, values: tuple[Any, ...]) -> None:
        await self._database.run(lambda connection: connection.execute(sql, values))


_INSERT = """
    INSERT OR IGNORE INTO messages
        (message_id, guild_id, channel_id, author_id, author_name, author_guild_id,
         author_role_ids, text, arrived_at)
    VALUES (:message_id, :guild_id, :channel_id, :author_id, :author_name, :author_guild_id,
            :author_role_ids, :text, :arrived_at)
"""
_BEGIN = """
    UPDATE messages SET state = 'answering', session_id = ?, answering_at = ?, answered_with = ?
    WHERE message_id = ?
"""
_FINISH = "UPDATE messages SET state = ?, text = '', answer = NULL WHERE message_id = ?"
_SELECT_UNANSWERED = """
    SELECT * FROM messages WHERE state IN ('accepted', 'answering') ORDER BY message_id
"""
_FORGET = """
    DELETE FROM messages WHERE arrived_at < ? AND state NOT IN ('accepted', 'answering')
    AND message_id < (SELECT max(newer.message_id) FROM messages AS newer
                      WHERE newer.channel_id = messages.channel_id)
"""


def _record(row: sqlite3.Row) -> MessageRecord:
    channel_id = row["channel_id"]
    return MessageRecord(
        ref=MessageRef(channel_id=channel_id, message_id=row["message_id"]),
        author=Person(
            id=row["author_id"],
            name=row["author_name"],
            guild_id=row["author_guild_id"],
            role_ids=frozenset(json.loads(row["author_role_ids"])),
        ),
        place=Place(guild_id=row["guild_id"], channel_id=channel_id),
        text=row["text"],
        arrived_at=row["arrived_at"],
        state=MessageState(row["state"]),
        session_id=row["session_id"],
        answering_at=row["answering_at"],
        answered_with=row["answered_with"],
        answer=row["answer"],
        shown_in=tuple(
            MessageRef(channel_id=channel_id, message_id=message_id)
            for message_id in json.loads(row["shown_in"])
        ),
    )
