"""What becomes of messages that are written, edited and deleted, with the real database."""

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import NOT_ON_THE_LIST, AccessPolicy, Person
from bot.conversation.conversation import MOST_WAITING_TURNS
from bot.conversation.intake import DISK_FULL, NOT_TAKEN, NOTHING_SAID, TOO_MANY_WAIT, Taken
from bot.conversation.message_record import FRESH_SECONDS, MessageState
from bot.messenger import MessageRef
from tests.fakes.attachments import attachment
from tests.fakes.messenger import DIRECT
from tests.fakes.talk_house import HERE, OTHER_USER, STRANGER, USER, Talk, TalkHouse, message, ref
from tests.fakes.waiting import until


async def busy(talk: Talk) -> None:
    """Have something be answered that the next messages have to wait for."""
    await talk.intake.arrived(message(0, author=OTHER_USER))
    await talk.is_asked("ute: text 0")


async def test_a_message_that_is_told_twice_is_answered_once(tmp_path: Path) -> None:
    async with TalkHouse(tmp_path).open() as talk:
        for _ in range(3):
            await talk.intake.arrived(message(1))
        await talk.is_asked("uwe: text 1")

        assert talk.conversation.waiting_turns == 0


async def test_a_message_that_cannot_be_stored_is_not_answered_and_its_author_is_told(
    tmp_path: Path,
) -> None:
    def lose_the_table(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE messages RENAME TO lost")

    async with TalkHouse(tmp_path).open() as talk:
        await talk.database.run(lose_the_table)
        await talk.intake.arrived(message(1))

        assert talk.replies == [(ref(1), NOT_TAKEN)]
        assert len(talk.conversations) == 0


async def test_a_full_disk_is_named_and_recovered_from(tmp_path: Path) -> None:
    def leave_no_room(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA max_page_count = 1")

    def leave_room(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA max_page_count = 100000")

    async with TalkHouse(tmp_path).open() as talk:
        await talk.database.run(leave_no_room)
        await talk.intake.arrived(message(1, "hello " * 100_000))
        assert talk.replies == [(ref(1), DISK_FULL)]

        await talk.database.run(leave_room)
        await talk.intake.arrived(message(2))
        await talk.is_asked("uwe: text 2")


async def test_who_writes_more_than_can_wait_is_told_and_it_is_never_answered(
    tmp_path: Path,
) -> None:
    async with TalkHouse(tmp_path).open() as talk:
        await busy(talk)
        for number in range(MOST_WAITING_TURNS + 1):
            await talk.intake.arrived(message(1 + number))

        assert talk.replies == [(ref(1 + MOST_WAITING_TURNS), TOO_MANY_WAIT)]
        assert len(await talk.waiting()) == 1 + MOST_WAITING_TURNS


async def test_a_stranger_is_told_only_if_the_bot_was_addressed(tmp_path: Path) -> None:
    house = TalkHouse(tmp_path, bound_channel_ids={HERE.channel_id})
    async with house.open() as talk:
        await talk.intake.arrived(message(1, author=STRANGER, mentions=False))
        assert talk.replies == []
        await talk.intake.arrived(message(2, author=STRANGER))
        direct = replace(HERE, guild_id=None, channel_id=DIRECT + STRANGER.id)
        in_private = MessageRef(channel_id=direct.channel_id, message_id=ref(3).message_id)
        await talk.intake.arrived(
            replace(message(3, author=STRANGER, mentions=False), place=direct, ref=in_private)
        )

        assert talk.replies == [(each, NOT_ON_THE_LIST.reason) for each in (ref(2), in_private)]
        assert await talk.waiting() == []


async def test_who_writes_the_bots_name_and_nothing_else_is_told_how_to_be_answered(
    tmp_path: Path,
) -> None:
    another_bot = replace(USER, id=USER.id + 1, is_automatic=True)
    async with TalkHouse(tmp_path).open() as talk:
        for author in (USER, STRANGER, another_bot):
            bare = message(author.id % 1000, "", author=author)
            for _ in range(2):
                await talk.intake.arrived(replace(bare, is_mention_alone=True))
            # A sticker, in reply to the bot.
            await talk.intake.arrived(bare)

        assert [text for _, text in talk.replies] == [NOTHING_SAID, NOT_ON_THE_LIST.reason]
        assert len(talk.conversations) == 0


async def test_files_are_stored_with_their_message(tmp_path: Path) -> None:
    files = (attachment(1, "a.txt", 5), attachment(2, "v.ogg", 6, is_voice_message=True))
    async with TalkHouse(tmp_path).open() as talk:
        await talk.intake.arrived(message(1, "", attachments=files))
        (stored,) = await talk.messages.unanswered()

    assert (stored.text, stored.attachments) == ("", files)


async def test_an_edited_message_that_waits_is_answered_as_it_reads_then(tmp_path: Path) -> None:
    async with TalkHouse(tmp_path).open() as talk:
        await busy(talk)
        await talk.intake.arrived(message(1, "wrong"))
        await talk.intake.edited(message(1, "right", attachments=(attachment(1, "a.txt", 5),)))
        records = await talk.messages.unanswered()
        talk.answer()
        await until(lambda: len(talk.asked) == 2)

        assert talk.asked[1].startswith("uwe: right\n\nFiles that came with it")
        assert (records[1].text, records[1].attachments) == (
            "right",
            (attachment(1, "a.txt", 5),),
        )


async def test_of_messages_that_wait_only_the_edited_one_changes(tmp_path: Path) -> None:
    async with TalkHouse(tmp_path).open() as talk:
        await busy(talk)
        for number in (1, 2, 3):
            await talk.intake.arrived(message(number))
        await talk.intake.edited(message(2, "new"))
        talk.answer()
        await talk.is_asked("ute: text 0", "uwe: text 1\n\nnew\n\ntext 3")


async def test_a_message_that_is_being_answered_or_was_stays_as_it_was(tmp_path: Path) -> None:
    async with TalkHouse(tmp_path).open() as talk:
        await talk.intake.arrived(message(1))
        await talk.is_asked("uwe: text 1")
        await talk.intake.edited(message(1, "other"))
        assert await talk.waiting() == ["text 1"]
        talk.answer()
        await until(lambda: len(talk.surface.shown) == 1)
        await talk.intake.edited(message(1, "other"))
        await talk.intake.deleted(ref(1))

        assert talk.asked == ["uwe: text 1"]
        assert await talk.messages.state_of(ref(1)) is MessageState.ANSWERED


async def test_a_message_that_mentions_the_bot_only_by_an_edit_is_taken_once(
    tmp_path: Path,
) -> None:
    async with TalkHouse(tmp_path).open() as talk:
        await talk.intake.arrived(message(1, mentions=False))
        for _ in range(2):
            await talk.intake.edited(message(1))
        await talk.is_asked("uwe: text 1")

        assert talk.conversation.waiting_turns == 0


@pytest.mark.parametrize(
    "edited",
    [
        message(1, age_seconds=FRESH_SECONDS + 1),
        message(1, author=STRANGER),
        message(1, mentions=False),
    ],
)
async def test_an_edit_brings_nothing_that_is_old_or_not_for_the_bot(
    tmp_path: Path, edited: object
) -> None:
    async with TalkHouse(tmp_path).open() as talk:
        await talk.intake.edited(edited)  # type: ignore[arg-type]

        assert len(talk.conversations) == 0
        assert talk.replies == []


@pytest.mark.parametrize(
    "edited", [message(1, mentions=False), message(1, ""), message(1, author=STRANGER)]
)
async def test_a_waiting_message_that_is_not_for_the_bot_any_more_is_withdrawn(
    tmp_path: Path, edited: object
) -> None:
    async with TalkHouse(tmp_path).open() as talk:
        await busy(talk)
        await talk.intake.arrived(message(1))
        await until(lambda: talk.surface.marked == [ref(1)])
        await talk.intake.edited(edited)  # type: ignore[arg-type]
        await until(lambda: talk.surface.marked == [])

        assert await talk.waiting() == ["text 0"]
        assert talk.conversation.waiting_turns == 0
        assert talk.replies == []


async def test_an_edit_takes_the_rights_that_its_author_has_by_then(tmp_path: Path) -> None:
    boss = Person(id=20, name="bo", guild_id=10, role_ids=frozenset({100}))
    demoted = replace(boss, role_ids=frozenset({300}))
    house = TalkHouse(tmp_path)
    house.policy = AccessPolicy(
        owner_ids=frozenset({1}),
        allowed_user_ids=frozenset({7, 8}),
        admin_role_ids=frozenset({100}),
        user_role_ids=frozenset({300}),
    )
    async with house.open() as talk:
        await busy(talk)
        await talk.intake.arrived(message(1, author=boss))
        await talk.intake.edited(message(1, "new", author=demoted))
        talk.answer()
        await until(lambda: len(talk.asked) == 2)
        running = talk.conversation.running_turn

    assert running is not None
    assert running.people == (demoted,)


async def test_a_deleted_message_that_waits_is_withdrawn_in_silence(tmp_path: Path) -> None:
    async with TalkHouse(tmp_path).open() as talk:
        await busy(talk)
        for number in (1, 2, 3):
            await talk.intake.arrived(message(number))
        await talk.intake.deleted(ref(2))
        await talk.intake.deleted(ref(99))
        await talk.intake.deleted(MessageRef(channel_id=12, message_id=ref(1).message_id))
        assert await talk.waiting() == ["text 0", "text 1", "text 3"]
        talk.answer()
        await talk.is_asked("ute: text 0", "uwe: text 1\n\ntext 3")

        assert talk.replies == []
        assert await talk.messages.state_of(ref(2)) is MessageState.WITHDRAWN


async def test_a_deleted_message_that_is_being_answered_is_answered(tmp_path: Path) -> None:
    async with TalkHouse(tmp_path).open() as talk:
        await busy(talk)
        await talk.intake.deleted(ref(0))
        talk.answer("There.")
        await until(lambda: [shown.text for shown in talk.surface.shown] == ["There."])


async def test_an_edit_that_cannot_be_stored_still_counts(tmp_path: Path) -> None:
    def lose_the_table(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE messages RENAME TO lost")

    def find_the_table(connection: sqlite3.Connection) -> None:
        connection.execute("ALTER TABLE lost RENAME TO messages")

    async with TalkHouse(tmp_path).open() as talk:
        await busy(talk)
        await talk.intake.arrived(message(1, "wrong"))
        await talk.database.run(lose_the_table)
        await talk.intake.edited(message(1, "right"))
        await talk.database.run(find_the_table)
        talk.answer()
        await talk.is_asked("ute: text 0", "uwe: right")


async def test_an_edit_that_comes_while_its_message_is_taken_is_not_lost(tmp_path: Path) -> None:
    async with TalkHouse(tmp_path).open() as talk:
        await busy(talk)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(talk.intake.arrived(message(1, "wrong")))
            tasks.create_task(talk.intake.edited(message(1, "right")))
        talk.answer()
        await talk.is_asked("ute: text 0", "uwe: right")


async def test_a_question_about_a_message_is_its_askers_and_stays_what_it_was(
    tmp_path: Path,
) -> None:
    question = replace(message(1, "look at this"), author=USER)
    async with TalkHouse(tmp_path).open() as talk:
        await busy(talk)
        await talk.intake.arrived(message(2))
        assert await talk.intake.asked(question) is Taken.NOW
        assert await talk.intake.asked(replace(question, author=OTHER_USER)) is Taken.BEFORE
        await talk.intake.edited(message(1, "delete everything", author=OTHER_USER))
        await talk.intake.deleted(ref(1))
        for _ in range(2):
            talk.answer()
        await talk.is_asked("ute: text 0", "uwe: text 2", "uwe: look at this")
        running = talk.conversation.running_turn

    assert running is not None
    assert (running.people, running.asked_in, running.joined) == ((USER,), ref(1), ())


async def test_what_was_not_answered_may_be_asked_about(tmp_path: Path) -> None:
    async with TalkHouse(tmp_path).open() as talk:
        await busy(talk)
        await talk.intake.arrived(message(1))
        await talk.intake.deleted(ref(1))

        assert await talk.intake.asked(message(1, "and now?")) is Taken.NOW
        assert await talk.waiting() == ["text 0", "and now?"]


async def test_a_question_that_cannot_wait_is_withdrawn_but_no_answer_is_touched(
    tmp_path: Path,
) -> None:
    async with TalkHouse(tmp_path).open() as talk:
        await busy(talk)
        for number in range(MOST_WAITING_TURNS):
            await talk.intake.arrived(message(1 + number))
        assert await talk.intake.asked(message(90, "why?")) is Taken.TOO_MANY
        assert await talk.intake.asked(message(0, "why?")) is Taken.BEFORE

        assert await talk.messages.state_of(ref(90)) is MessageState.WITHDRAWN
        assert await talk.messages.state_of(ref(0)) is MessageState.ANSWERING
