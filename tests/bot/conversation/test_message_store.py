import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import Person, Place
from bot.conversation.incoming import IncomingMessage, first_id_at
from bot.conversation.message_record import MessageRecord, MessageState
from bot.conversation.message_store import MessageStore
from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from bot.migrations import migrations
from extensions.database import open_database

OLGA = Person(id=1, name="olga", guild_id=10, role_ids=frozenset({5, 6}))
HERE = Place(guild_id=10, channel_id=11)
FILE = "papercup.db"


def ref(number: int) -> MessageRef:
    return MessageRef(channel_id=11, message_id=number)


def message(number: int) -> IncomingMessage:
    return IncomingMessage(
        ref=ref(number), author=OLGA, place=HERE, text=f"text {number}", mentions_bot=True
    )


TOGETHER = Turn(people=(OLGA,), text="text 1\n\ntext 2", asked_in=ref(2), joined=(ref(1),))
WAITING = MessageRecord(ref=ref(1), author=OLGA, place=HERE, text="text 1", arrived_at=100.0)


@asynccontextmanager
async def open_store(folder: Path) -> AsyncGenerator[MessageStore, None]:
    async with open_database(folder / FILE, migrations()) as database:
        yield MessageStore(database)


async def test_a_message_is_stored_once_and_found_by_a_later_bot(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        taken = [await store.accept(message(1), at=at) for at in (100.0, 200.0)]
    async with open_store(tmp_path) as store:
        assert await store.unanswered() == [WAITING]
    assert taken == [True, False]


async def test_what_is_known_of_an_answer_is_found_by_a_later_bot(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        for number in (1, 2):
            await store.accept(message(number), at=100.0)
        await store.begun(TOGETHER, session_id="5e55", at=150.0)
        await store.shown_in(TOGETHER, [ref(80), ref(81)])
        await store.answer_is_whole(TOGETHER, "Hi.")
    begun = replace(
        WAITING,
        state=MessageState.ANSWERING,
        session_id="5e55",
        answering_at=150.0,
        answered_with=2,
    )
    async with open_store(tmp_path) as store:
        assert await store.unanswered() == [
            begun,
            replace(begun, ref=ref(2), text="text 2", answer="Hi.", shown_in=(ref(80), ref(81))),
        ]


@pytest.mark.parametrize(
    "state", [MessageState.ANSWERED, MessageState.WITHDRAWN, MessageState.STALE]
)
async def test_nothing_of_what_was_said_is_kept_once_it_is_finished(
    tmp_path: Path, state: MessageState
) -> None:
    async with open_store(tmp_path) as store:
        for number in (1, 2):
            await store.accept(message(number), at=100.0)
        await store.answer_is_whole(TOGETHER, "Hi.")
        await store.finished(TOGETHER, state)

        assert await store.unanswered() == []
        assert await store.newest_in(11) == 2
        assert await store.newest_in(12) is None
        assert not await store.accept(message(1), at=300.0)
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        rows = connection.execute("SELECT text, answer, state FROM messages").fetchall()
    assert rows == [("", None, state.value)] * 2


async def test_old_messages_are_forgotten_but_for_the_newest_of_a_channel_and_the_unanswered(
    tmp_path: Path,
) -> None:
    async with open_store(tmp_path) as store:
        for number in (1, 2, 3):
            await store.accept(message(number), at=100.0)
        for number in (1, 3):
            turn = Turn(people=(OLGA,), text="", asked_in=ref(number))
            await store.finished(turn, MessageState.ANSWERED)
        await store.forget(before=200.0)

        assert [record.ref for record in await store.unanswered()] == [ref(2)]
        assert await store.newest_in(11) == 3
        assert await store.accept(message(1), at=100.0)


def test_an_id_tells_when_a_message_was_written() -> None:
    written = replace(message(1), ref=ref(first_id_at(1_780_000_000.25) + 7))
    assert written.written_at == 1_780_000_000.25
    assert first_id_at(0.0) == 0
