"""Questions in the database, where it is decided which answer was first."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from bot.access import Action, Belonging, Person, Place
from bot.messenger import ButtonStyle, MessageRef
from bot.questions.question import (
    Answer,
    Cancelled,
    CancelReason,
    Choice,
    End,
    FreeText,
    Given,
    Question,
)
from extensions.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredQuestion:
    """A question, and what became of it so far."""

    question: Question
    ref: MessageRef | None
    """Where it stands, if that is known."""
    end: End | None
    """`None` while it is open."""
    is_done: bool
    """Whether all was done that its end brings about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A question that was to be stored."""

    stored: StoredQuestion
    is_new: bool
    """Whether it was not known before."""


class QuestionStore:
    """Keeps account of questions over restarts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, question: Question, *, at: float, most_open: int) -> Added | None:
        """Store a question, unless it is known, and return it as it stands.

        Returns:
            `None` if so many are open in its place that it was not stored.

        Raises:
            sqlite3.Error: If it could not be stored.
        """

        def work(connection: sqlite3.Connection) -> Added | None:
            known = _find(connection, question.id)
            if known is not None:
                return Added(stored=known, is_new=False)
            values = (question.place.channel_id, at)
            (count,) = connection.execute(_COUNT_OPEN, values).fetchone()
            if count >= most_open:
                return None
            return Added(stored=_add(connection, question), is_new=True)

        return await self._database.run(work)

    async def answer(
        self, question: Question, given: Given, *, at: float
    ) -> tuple[Answer | None, StoredQuestion]:
        """Take an answer if the question is open, and return how it stands then.

        Args:
            question: What is answered; it is stored first if it is not known yet.
            given: The answer.
            at: Unix time, in seconds.

        Returns:
            The answer if it was the first one, else `None`; and the question.

        Raises:
            sqlite3.Error: If that could not be stored; nothing was answered then.
        """

        def work(connection: sqlite3.Connection) -> tuple[Answer | None, StoredQuestion]:
            if _find(connection, question.id) is None:
                _add(connection, question)
            if given.message is not None:
                values = (given.message.channel_id, given.message.message_id, question.id)
                connection.execute(_STANDS_UNLESS_KNOWN, values)
            who, what = _json_of_person(given.by), (given.value, given.text)
            cursor = connection.execute(_ANSWER, (who, *what, at, question.id, at))
            stored = _find(connection, question.id)
            assert stored is not None, "it was stored just before"
            is_first = cursor.rowcount == 1
            return (stored.end if is_first and isinstance(stored.end, Answer) else None), stored

        return await self._database.run(work)

    async def cancel(self, question_id: str, reason: CancelReason) -> StoredQuestion | None:
        """End a question without an answer, if it is open, and return how it stands then."""

        def work(connection: sqlite3.Connection) -> StoredQuestion | None:
            connection.execute(_CANCEL, (reason.value, question_id))
            return _find(connection, question_id)

        return await self._database.run(work)

    async def find(self, question_id: str) -> StoredQuestion | None:
        """Return a question, if it is known."""
        return await self._database.run(lambda connection: _find(connection, question_id))

    async def forget(self, purpose: str, *, before: float) -> None:
        """Forget the questions of a purpose that could be answered until then, and are done."""
        values = (purpose, before)
        await self._database.run(lambda c: c.execute(_FORGET, values))

    async def undone(self) -> list[StoredQuestion]:
        """Return the questions about which something is still to be done, oldest first."""
        rows = await self._database.run(lambda c: c.execute(_SELECT_UNDONE).fetchall())
        return [_stored(row) for row in rows]

    async def stands(self, question_id: str, ref: MessageRef) -> None:
        """Remember where a question stands."""
        values = (ref.channel_id, ref.message_id, question_id)
        await self._database.run(lambda c: c.execute(_STANDS, values))

    async def tried(self, question_id: str) -> None:
        """Remember that somebody begins to act upon the answer."""
        await self._database.run(
            lambda c: c.execute("UPDATE questions SET is_tried = 1 WHERE id = ?", (question_id,))
        )

    async def done(self, question_id: str) -> None:
        """Remember that all was done that the question's end brings about."""
        await self._database.run(
            lambda c: c.execute("UPDATE questions SET is_done = 1 WHERE id = ?", (question_id,))
        )


_COUNT_OPEN = """
    SELECT count(*) FROM questions
    WHERE channel_id = ? AND state = 'open' AND (expires_at IS NULL OR expires_at > ?)
"""
_INSERT = """
    INSERT INTO questions (
        id, purpose, subject, text, choices, free_text, guild_id, channel_id,
        person_id, person_guild_id, actions, expires_at, reply_to_channel_id, reply_to_message_id
    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_STANDS = "UPDATE questions SET message_channel_id = ?, message_id = ? WHERE id = ?"
_STANDS_UNLESS_KNOWN = f"{_STANDS} AND message_id IS NULL"
_ANSWER = """
    UPDATE questions
    SET state = 'answered', answered_by = ?, answer_value = ?, answer_text = ?, answered_at = ?
    WHERE id = ? AND state = 'open' AND (expires_at IS NULL OR expires_at > ?)
"""
_CANCEL = "UPDATE questions SET state = ? WHERE id = ? AND state = 'open'"
_FORGET = "DELETE FROM questions WHERE purpose = ? AND is_done = 1 AND expires_at < ?"
_SELECT_UNDONE = "SELECT * FROM questions WHERE is_done = 0 ORDER BY rowid"


def _add(connection: sqlite3.Connection, question: Question) -> StoredQuestion:
    reply_to = question.reply_to
    values = (
        *(question.id, question.purpose, question.subject, question.text),
        json.dumps([asdict(choice) for choice in question.choices]),
        None if question.free_text is None else json.dumps(asdict(question.free_text)),
        *(question.place.guild_id, question.place.channel_id),
        *(question.belonging.person_id, question.belonging.guild_id),
        json.dumps(question.actions),
        question.expires_at,
        *((None, None) if reply_to is None else (reply_to.channel_id, reply_to.message_id)),
    )
    connection.execute(_INSERT, values)
    return StoredQuestion(question=question, ref=None, end=None, is_done=False)


def _find(connection: sqlite3.Connection, question_id: str) -> StoredQuestion | None:
    row = connection.execute("SELECT * FROM questions WHERE id = ?", (question_id,)).fetchone()
    return None if row is None else _stored(row)


def _stored(row: sqlite3.Row) -> StoredQuestion:
    return StoredQuestion(
        question=_question(row),
        ref=_ref(row["message_channel_id"], row["message_id"]),
        end=_end(row),
        is_done=bool(row["is_done"]),
    )


def _question(row: sqlite3.Row) -> Question:
    free_text = row["free_text"]
    return Question(
        id=row["id"],
        purpose=row["purpose"],
        subject=row["subject"],
        text=row["text"],
        place=Place(guild_id=row["guild_id"], channel_id=row["channel_id"]),
        choices=tuple(_choice(each) for each in json.loads(row["choices"])),
        free_text=None if free_text is None else FreeText(**json.loads(free_text)),
        belonging=Belonging(person_id=row["person_id"], guild_id=row["person_guild_id"]),
        actions=tuple(Action(each) for each in json.loads(row["actions"])),
        expires_at=row["expires_at"],
        reply_to=_ref(row["reply_to_channel_id"], row["reply_to_message_id"]),
    )


def _choice(fields: Mapping[str, Any]) -> Choice:
    kept: dict[str, Any] = {**fields, "style": ButtonStyle(fields["style"])}
    return Choice(**kept)


def _end(row: sqlite3.Row) -> End | None:
    if row["state"] == "open":
        return None
    if row["state"] != "answered":
        return Cancelled(question_id=row["id"], reason=CancelReason(row["state"]))
    return Answer(
        question_id=row["id"],
        by=_person_of_json(row["answered_by"]),
        value=row["answer_value"],
        text=row["answer_text"],
        at=row["answered_at"],
        message=_ref(row["message_channel_id"], row["message_id"]),
        is_tried=bool(row["is_tried"]),
    )


def _ref(channel_id: int | None, message_id: int | None) -> MessageRef | None:
    if channel_id is None or message_id is None:
        return None
    return MessageRef(channel_id=channel_id, message_id=message_id)


def _json_of_person(person: Person) -> str:
    return json.dumps(asdict(person) | {"role_ids": sorted(person.role_ids)})


def _person_of_json(text: str) -> Person:
    fields: dict[str, Any] = json.loads(text)
    fields["role_ids"] = frozenset(fields["role_ids"])
    return Person(**fields)
