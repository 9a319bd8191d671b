"""What becomes of a message that was just written, with the real database behind the desk."""

import sqlite3
from dataclasses import replace
from pathlib import Path

from bot.conversation.conversation import MOST_WAITING_TURNS
from bot.conversation.incoming import IncomingMessage
from bot.conversation.intake import DISK_FULL, NOT_TAKEN, TOO_MANY_WAIT
from bot.messenger import MessageRef
from tests.bot.conversation.test_conversations import HERE
from tests.bot.conversation.test_front_desk import USER, Office, open_office
from tests.fakes.waiting import until

MESSAGE = IncomingMessage(
    ref=MessageRef(channel_id=11, message_id=5),
    author=USER,
    place=HERE,
    text="hello",
    mentions_bot=True,
)


def said(office: Office) -> list[str]:
    return [message.text for message in office.world.messenger.messages]


async def test_a_message_that_is_told_twice_is_answered_once(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        for _ in range(3):
            await office.desk.message_arrived(MESSAGE)
        (speaker,) = office.world.speakers.values()
        await until(lambda: speaker.asked == ["uwe: hello"])
        conversation = office.conversations.in_place(HERE)

    assert conversation is not None
    assert conversation.waiting_turns == 0


async def test_a_message_that_cannot_be_stored_is_not_answered_and_its_author_is_told(
    tmp_path: Path,
) -> None:
    def lose_the_table(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE messages RENAME TO lost")

    async with open_office(tmp_path) as office:
        assert office.world.database is not None
        await office.world.database.run(lose_the_table)
        await office.desk.message_arrived(MESSAGE)

        assert said(office) == [NOT_TAKEN]
        assert len(office.conversations) == 0


async def test_a_full_disk_is_named_and_recovered_from(tmp_path: Path) -> None:
    def leave_no_room(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA max_page_count = 1")

    def leave_room(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA max_page_count = 100000")

    async with open_office(tmp_path) as office:
        assert office.world.database is not None
        await office.world.database.run(leave_no_room)
        await office.desk.message_arrived(replace(MESSAGE, text="hello " * 100_000))
        assert said(office) == [DISK_FULL]

        await office.world.database.run(leave_room)
        await office.desk.message_arrived(
            replace(MESSAGE, ref=MessageRef(channel_id=11, message_id=6))
        )
        (speaker,) = office.world.speakers.values()
        await until(lambda: speaker.asked == ["uwe: hello"])


async def test_who_writes_more_than_can_wait_is_told_and_it_is_never_answered(
    tmp_path: Path,
) -> None:
    async with open_office(tmp_path) as office:
        await office.say(USER)
        (speaker,) = office.world.speakers.values()
        await until(lambda: bool(speaker.asked))
        for _ in range(MOST_WAITING_TURNS + 1):
            await office.say(USER)

        assert said(office) == [TOO_MANY_WAIT]
        assert len(await office.world.messages.unanswered()) == 1 + MOST_WAITING_TURNS
