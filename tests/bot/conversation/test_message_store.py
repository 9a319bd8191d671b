import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import Person, Place
from bot.conversation.incoming import Attachment, IncomingMessage, first_id_at
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


FILE_OF_HERS = Attachment(
    id=3,
    name="voice.ogg",
    size_bytes=5,
    content_type="audio/ogg",
    url="https://cdn/3",
    is_voice_message=True,
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


async def test_what_a_message_brought_is_found_by_a_later_bot(tmp_path: Path) -> None:
    thread = Place(guild_id=10, channel_id=11, parent_id=9)
    async with open_store(tmp_path) as store:
        await store.accept(replace(message(1), place=thread, attachments=(FILE_OF_HERS,)), at=100.0)
    async with open_store(tmp_path) as store:
        (found,) = await store.unanswered()

    assert (found.attachments, found.place.parent_id) == ((FILE_OF_HERS,), 9)


async def test_a_new_version_of_a_message_is_found_by_a_later_bot(tmp_path: Path) -> None:
    demoted = replace(OLGA, name="Olga", role_ids=frozenset({5}))
    edited = replace(message(1), text="new", author=demoted, attachments=(FILE_OF_HERS,))
    async with open_store(tmp_path) as store:
        await store.accept(message(1), at=100.0)
        await store.replace(edited)
        await store.replace(replace(edited, ref=ref(2)))

        assert await store.unanswered() == [
            replace(WAITING, text="new", author=demoted, attachments=(FILE_OF_HERS,))
        ]


async def test_what_is_finished_gets_no_new_version(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        await store.accept(message(1), at=100.0)
        await store.finished(replace(TOGETHER, joined=(), asked_in=ref(1)), MessageState.ANSWERED)
        await store.replace(message(1))
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        assert connection.execute("SELECT text FROM messages").fetchall() == [("",)]


async def test_only_a_message_that_waits_is_withdrawn(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        for number in (1, 2, 3):
            await store.accept(message(number), at=100.0)
        await store.begun(TOGETHER, session_id="5e55", at=150.0)
        for number in (1, 3):
            await store.withdraw(ref(number))

        assert [await store.state_of(ref(number)) for number in (1, 3, 4)] == [
            MessageState.ANSWERING,
            MessageState.WITHDRAWN,
            None,
        ]


@pytest.mark.parametrize("state", list(MessageState))
async def test_one_may_ask_about_a_message_unless_it_is_or_was_answered(
    tmp_path: Path, state: MessageState
) -> None:
    uwe = Person(id=7, name="uwe")
    question = replace(message(1), author=uwe, text="what is that?")
    async with open_store(tmp_path) as store:
        await store.accept(message(1), at=100.0)
        alone = replace(TOGETHER, joined=(), asked_in=ref(1))
        if state is not MessageState.ACCEPTED:
            await store.begun(alone, session_id="5e55", at=150.0)
            await store.shown_in(alone, [ref(80)])
            await store.answer_is_whole(alone, "Hi.")
            await store.finished(alone, state)
        is_taken = await store.accept_question(question, at=200.0)
        found = await store.unanswered()

    assert is_taken is (state in {MessageState.WITHDRAWN, MessageState.STALE})
    if is_taken:
        taken = replace(WAITING, author=uwe, text="what is that?", arrived_at=200.0)
        assert found == [replace(taken, is_from_menu=True)]


async def test_a_question_about_a_message_does_not_count_as_the_newest_that_was_heard(
    tmp_path: Path,
) -> None:
    async with open_store(tmp_path) as store:
        await store.accept(message(1), at=100.0)
        await store.accept_question(message(5), at=100.0)
        assert await store.newest_in(11) == 1

        for number in (1, 5):
            turn = Turn(people=(OLGA,), text="", asked_in=ref(number))
            await store.finished(turn, MessageState.ANSWERED)
        await store.forget(before=200.0)
        assert await store.newest_in(11) == 1
        assert await store.state_of(ref(5)) is None


async def test_direct_messages_are_known_for_a_while_the_newest_first(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        for number, channel_id, at in (
            (1, 20, 100.0),
            (2, 21, 300.0),
            (3, 20, 300.0),
            (4, 22, 99.0),
        ):
            direct = Place(guild_id=None, channel_id=channel_id)
            said = replace(
                message(number), place=direct, ref=replace(ref(number), channel_id=channel_id)
            )
            await store.accept(said, at=at)
        await store.accept(message(5), at=300.0)
        found = [await store.direct_channels(most=most, since=100.0) for most in (5, 1)]

    assert found == [[20, 21], [20]]
