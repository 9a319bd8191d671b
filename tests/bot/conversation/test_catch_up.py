"""What a bot makes of what an earlier one left, and of what was written while none was there."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import Person, Place
from bot.conversation.catch_up import already_started, away
from bot.conversation.incoming import IncomingMessage, first_id_at
from bot.conversation.message_record import FRESH_SECONDS
from bot.conversation.session import Session
from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from bot.speaker.speaker import Answered, TextCame
from extensions.jobs.job import Origin
from tests.bot.conversation.test_conversations import HERE
from tests.bot.conversation.test_front_desk import STRANGER, USER, Office, open_office
from tests.fakes.job_house import request
from tests.fakes.waiting import until

NOW = 1_780_000_000.0
SESSION = Session(
    id="5e551011", name="chat", place=HERE, opened_by=7, created_at=0.0, last_active_at=0.0
)


def message(
    number: int, *, age_seconds: float = 60.0, author: Person = USER, mentions: bool = True
) -> IncomingMessage:
    written = first_id_at(NOW - age_seconds) + number
    return IncomingMessage(
        ref=MessageRef(channel_id=11, message_id=written),
        author=author,
        place=HERE,
        text=f"text {number}",
        mentions_bot=mentions,
    )


def turn_of(message: IncomingMessage) -> Turn:
    return Turn(people=(message.author,), text=message.text, asked_in=message.ref)


def settle(office: Office) -> None:
    """Let time stand at NOW, which the ids of the messages are made for."""
    office.house.clock.advance(NOW - office.house.clock())


def asked(office: Office) -> list[str]:
    return [text for speaker in office.world.speakers.values() for text in speaker.asked]


def replies(office: Office) -> list[tuple[MessageRef | None, str]]:
    return [(message.reply_to, message.text) for message in office.world.messenger.messages]


async def test_what_waited_when_the_bot_ended_is_answered_by_the_next_in_order(
    tmp_path: Path,
) -> None:
    other = Person(id=8, name="ute")
    async with open_office(tmp_path) as office:
        settle(office)
        for each in (message(1), message(2, author=other)):
            await office.world.messages.accept(each, at=NOW - 60)
    async with open_office(tmp_path) as office:
        settle(office)
        await office.desk.catch_up()
        await until(lambda: asked(office) == ["uwe: text 1"])
        (speaker,) = office.world.speakers.values()
        speaker.events.put_nowait(Answered())
        await until(lambda: asked(office) == ["uwe: text 1", "ute: text 2"])
        await office.desk.catch_up()
        conversation = office.conversations.in_place(HERE)

    assert conversation is not None
    assert conversation.waiting_turns == 0


async def test_what_got_too_old_gets_one_word_for_each_person_once(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        settle(office)
        for each in (message(1), message(2)):
            await office.world.messages.accept(each, at=NOW - FRESH_SECONDS)
    said: list[list[tuple[MessageRef | None, str]]] = []
    for _ in range(2):
        async with open_office(tmp_path) as office:
            settle(office)
            await office.desk.catch_up()
            said.append(replies(office))
            assert asked(office) == []
            assert await office.world.messages.unanswered() == []

    assert said == [[(message(2).ref, away(2))], []]


async def test_an_answer_that_was_whole_is_shown_however_old_it_is_and_not_asked_for_again(
    tmp_path: Path,
) -> None:
    question = message(1)
    async with open_office(tmp_path) as office:
        settle(office)
        await office.world.messages.accept(question, at=NOW - 10 * FRESH_SECONDS)
        turn = turn_of(question)
        await office.world.messages.begun(turn, session_id="5e551011", at=NOW)
        await office.world.messages.answer_is_whole(turn, "Hi.")
    async with open_office(tmp_path) as office:
        settle(office)
        await office.desk.catch_up()
        await until(lambda: replies(office) == [(question.ref, "Hi.")])

        assert asked(office) == []


@pytest.mark.parametrize("age_seconds", [60.0, 2 * FRESH_SECONDS])
async def test_what_had_led_to_a_job_is_not_asked_again(tmp_path: Path, age_seconds: float) -> None:
    question = message(1)
    async with open_office(tmp_path) as office:
        settle(office)
        await office.world.messages.accept(question, at=NOW - age_seconds)
        begun_at = office.house.clock()
        await office.world.messages.begun(turn_of(question), session_id="5e551011", at=begun_at)
        await office.jobs.spawn(request(name="fibonacci"))
        elsewhere = Origin(session_id="other", person_id=7, guild_id=10, channel_id=11)
        await office.jobs.spawn(replace(request(name="another"), origin=elsewhere))
    async with open_office(tmp_path) as office:
        settle(office)
        await office.desk.catch_up()
        await until(lambda: bool(replies(office)))

        assert replies(office) == [(question.ref, already_started(["fibonacci"]))]
        assert asked(office) == []


async def test_what_had_led_to_nothing_is_asked_again(tmp_path: Path) -> None:
    question = message(1)
    async with open_office(tmp_path) as office:
        settle(office)
        await office.jobs.spawn(request(name="earlier"))
        office.house.clock.advance(1.0)
        await office.world.messages.accept(question, at=NOW)
        await office.world.messages.begun(turn_of(question), session_id="5e551011", at=NOW + 1)
    async with open_office(tmp_path) as office:
        settle(office)
        await office.desk.catch_up()
        await until(lambda: asked(office) == ["uwe: text 1"])


async def test_what_was_written_unheard_is_answered_if_it_is_for_the_bot(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        settle(office)
        await office.desk.catch_up()
        await office.desk.message_arrived(message(0))
        (speaker,) = office.world.speakers.values()
        office.history.messages = [
            message(0),
            message(1, author=STRANGER),
            message(2, mentions=False),
            message(3),
        ]
        await office.desk.catch_up()
        await until(lambda: asked(office) == ["uwe: text 0"])
        speaker.events.put_nowait(TextCame("zero"))
        speaker.events.put_nowait(Answered())
        await until(lambda: asked(office) == ["uwe: text 0", "uwe: text 3"])

        assert replies(office) == [(message(0).ref, "zero")]
        assert office.history.asked == [(11, message(0).ref.message_id)]


async def test_what_was_written_unheard_long_ago_gets_a_word(tmp_path: Path) -> None:
    old = message(1, age_seconds=FRESH_SECONDS + 1)
    async with open_office(tmp_path) as office:
        settle(office)
        await office.desk.catch_up()
        await office.desk.message_arrived(message(0, age_seconds=2 * FRESH_SECONDS))
        office.history.messages = [old]
        for _ in range(2):
            await office.desk.catch_up()

        assert replies(office) == [(old.ref, away(1))]


async def test_a_channel_that_could_not_be_read_is_read_from_the_same_message_next_time(
    tmp_path: Path,
) -> None:
    async with open_office(tmp_path) as office:
        settle(office)
        await office.desk.catch_up()
        await office.desk.message_arrived(message(0))
        office.history.failures = 1
        await office.desk.catch_up()
        await office.desk.message_arrived(message(2))
        office.history.messages = [message(1)]
        await office.desk.catch_up()
        await office.desk.catch_up()
        unanswered = [each.text for each in await office.world.messages.unanswered()]

    first, newest = message(0).ref.message_id, message(2).ref.message_id
    assert office.history.asked == [(11, first), (11, first), (11, newest)]
    assert unanswered == ["text 0", "text 1", "text 2"]


async def test_a_channel_in_which_nobody_ever_wrote_to_the_bot_is_read_from_its_start_on(
    tmp_path: Path,
) -> None:
    async with open_office(tmp_path) as office:
        settle(office)
        await office.conversations.open(Place(guild_id=10, channel_id=12), USER)
        await office.desk.catch_up()
        at_first = list(office.history.asked)
        office.house.clock.advance(50.0)
        await office.desk.catch_up()

    assert at_first == []
    assert office.history.asked == [(12, first_id_at(NOW))]
