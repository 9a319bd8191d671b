"""Messages in the database: each stands there before anything else is done about it."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bot.access import Person, Place
from bot.conversation.incoming import Attachment, IncomingMessage
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
        return await self._insert(_INSERT, message, at=at, is_from_menu=False)

    async def accept_question(self, message: IncomingMessage, *, at: float) -> bool:
        """Store what somebody asks about a message; `False` if that is, or was, to be answered.

        Args:
            message: What is asked, by whom; its `ref` is the message that it is about.
            at: Unix time, in seconds.

        Raises:
            sqlite3.Error: If it cannot be stored.
        """
        return await self._insert(_INSERT_QUESTION, message, at=at, is_from_menu=True)

    async def accept_spoken(self, turn: Turn, place: Place, *, at: float) -> None:
        """Store that something that was said is to be answered, but not what: see `cut_off`.

        Raises:
            sqlite3.Error: If it cannot be stored.
        """
        message = IncomingMessage(
            ref=turn.asked_in, author=turn.people[0], place=place, text="", mentions_bot=True
        )
        values = _values(message) | {"arrived_at": at, "is_from_menu": False}
        await self._database.run(lambda c: c.execute(_INSERT, values))

    async def cut_off(self) -> frozenset[int]:
        """Give up what was said to an earlier bot and not answered, and return the channels."""

        def give_up(connection: sqlite3.Connection) -> frozenset[int]:
            rows = connection.execute(_SELECT_CUT_OFF).fetchall()
            connection.execute(_GIVE_UP)
            return frozenset(row["channel_id"] for row in rows)

        return await self._database.run(give_up)

    async def state_of(self, ref: MessageRef) -> MessageState | None:
        """Return what has become of a message; `None` if it is not known."""
        sql = "SELECT state FROM messages WHERE message_id = ?"
        rows = await self._database.run(lambda c: c.execute(sql, (ref.message_id,)).fetchall())
        return MessageState(rows[0]["state"]) if rows else None

    async def replace(self, message: IncomingMessage) -> None:
        """Store the new version of a message that is not answered yet."""
        await self._database.run(lambda c: c.execute(_REPLACE, _values(message)))

    async def begun(self, turn: Turn, *, session_id: str, at: float) -> None:
        """Store that a turn's messages are being answered, together.

        Raises:
            sqlite3.Error: If it cannot be stored.
        """
        newest = turn.asked_in.message_id
        rows = [(session_id, at, newest, ref.message_id) for ref in turn.messages]
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
        rows = [(state.value, ref.message_id) for ref in turn.messages]
        await self._database.run(lambda c: c.executemany(_FINISH, rows))

    async def withdraw(self, ref: MessageRef) -> None:
        """Store that a message that waits is not answered; one that is being answered stays."""
        sql = f"{_FINISH} AND state = 'accepted'"
        await self._write(sql, (MessageState.WITHDRAWN.value, ref.message_id))

    async def unanswered(self) -> list[MessageRecord]:
        """Return the messages whose answer is not shown yet, oldest first."""
        rows = await self._database.run(lambda c: c.execute(_SELECT_UNANSWERED).fetchall())
        return [_record(row) for row in rows]

    async def newest_in(self, channel_id: int) -> int | None:
        """Return the id of the newest message that was taken in a channel.

        One that somebody asked about does not count: those before it may not have been heard.
        """
        rows = await self._database.run(lambda c: c.execute(_NEWEST, (channel_id,)).fetchall())
        newest: int | None = rows[0]["newest"]
        return newest

    async def direct_channels(self, *, most: int, since: float) -> list[int]:
        """Return the ids of direct messages in which something was taken, the newest first.

        Args:
            most: How many.
            since: Only if that was after this Unix time, in seconds.
        """
        rows = await self._database.run(lambda c: c.execute(_DIRECT, (since, most)).fetchall())
        return [row["channel_id"] for row in rows]

    async def forget(self, *, before: float) -> None:
        """Delete what is finished and came before that; the newest in each channel stays."""
        await self._write(_FORGET, (before,))

    async def _insert(
        self, sql: str, message: IncomingMessage, *, at: float, is_from_menu: bool
    ) -> bool:
        values = _values(message) | {"arrived_at": at, "is_from_menu": is_from_menu}
        return await self._database.run(lambda c: c.execute(sql, values).rowcount) == 1

    async def _write(self, sql: str, values: tuple[Any, ...]) -> None:
        await self._database.run(lambda connection: connection.execute(sql, values))


_COLUMNS = """
    (message_id, guild_id, channel_id, parent_id, author_id, author_name, author_guild_id,
     author_role_ids, text, attachments, is_from_menu, arrived_at)
    VALUES (:message_id, :guild_id, :channel_id, :parent_id, :author_id, :author_name,
            :author_guild_id, :author_role_ids, :text, :attachments, :is_from_menu, :arrived_at)
"""
_INSERT = f"INSERT OR IGNORE INTO messages {_COLUMNS}"
_INSERT_QUESTION = f"""
    INSERT INTO messages {_COLUMNS}
    ON CONFLICT (message_id) DO UPDATE SET
        author_id = excluded.author_id, author_name = excluded.author_name,
        author_guild_id = excluded.author_guild_id, author_role_ids = excluded.author_role_ids,
        text = excluded.text, attachments = excluded.attachments, is_from_menu = 1,
        arrived_at = excluded.arrived_at, state = 'accepted', session_id = NULL,
        answering_at = NULL, answered_with = NULL, answer = NULL, shown_in = '[]'
    WHERE messages.state IN ('withdrawn', 'stale')
"""
# Also if it is being answered by now: its turn was replaced before that was begun.
_REPLACE = """
    UPDATE messages
    SET text = :text, attachments = :attachments, author_name = :author_name,
        author_guild_id = :author_guild_id, author_role_ids = :author_role_ids
    WHERE message_id = :message_id AND state IN ('accepted', 'answering')
"""
_BEGIN = """
    UPDATE messages SET state = 'answering', session_id = ?, answering_at = ?, answered_with = ?
    WHERE message_id = ?
"""
_FINISH = """
    UPDATE messages SET state = ?, text = '', attachments = '[]', answer = NULL
    WHERE message_id = ?
"""
_NEWEST = """
    SELECT max(message_id) AS newest FROM messages
    WHERE channel_id = ? AND NOT is_from_menu AND message_id > 0
"""
_DIRECT = """
    SELECT channel_id FROM messages WHERE guild_id IS NULL AND arrived_at >= ?
    GROUP BY channel_id ORDER BY max(message_id) DESC LIMIT ?
"""
_SELECT_UNANSWERED = """
    SELECT * FROM messages WHERE state IN ('accepted', 'answering') AND message_id > 0
    ORDER BY message_id
"""
# What was said has an id below zero.
_SELECT_CUT_OFF = """
    SELECT DISTINCT channel_id FROM messages
    WHERE state IN ('accepted', 'answering') AND message_id < 0
"""
_GIVE_UP = """
    UPDATE messages SET state = 'stale', answer = NULL
    WHERE state IN ('accepted', 'answering') AND message_id < 0
"""
_FORGET = """
    DELETE FROM messages WHERE arrived_at < ? AND state NOT IN ('accepted', 'answering')
    AND (is_from_menu OR message_id < 0
         OR message_id < (SELECT max(newer.message_id) FROM messages AS newer
                          WHERE newer.channel_id = messages.channel_id AND NOT newer.is_from_menu))
"""


def _values(message: IncomingMessage) -> dict[str, Any]:
    author, place = message.author, message.place
    return {
        "message_id": message.ref.message_id,
        "guild_id": place.guild_id,
        "channel_id": place.channel_id,
        "parent_id": place.parent_id,
        "author_id": author.id,
        "author_name": author.name,
        "author_guild_id": author.guild_id,
        "author_role_ids": json.dumps(sorted(author.role_ids)),
        "text": message.text,
        "attachments": json.dumps([asdict(file) for file in message.attachments]),
    }


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
        place=Place(guild_id=row["guild_id"], channel_id=channel_id, parent_id=row["parent_id"]),
        text=row["text"],
        attachments=tuple(Attachment(**file) for file in json.loads(row["attachments"])),
        is_from_menu=bool(row["is_from_menu"]),
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
