"""What a bot makes of what an earlier one left, and of what was written while none was there."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import Place
from bot.conversation.catch_up import AWAY_WHEN_ASKED, already_started, away
from bot.conversation.incoming import first_id_at
from bot.conversation.intake import turn_of
from bot.conversation.marks import QUEUED
from bot.conversation.message_record import FRESH_SECONDS, MessageState
from tests.fakes.attachments import attachment
from tests.fakes.talk_house import (
    HERE,
    NOW,
    OTHER_USER,
    STRANGER,
    USER,
    TalkHouse,
    message,
    ref,
)
from tests.fakes.waiting import until

SESSION = "00000000"


async def test_what_waited_when_the_bot_ended_is_answered_by_the_next_in_order(
    tmp_path: Path,
) -> None:
    house = TalkHouse(tmp_path)
    async with house.open() as talk:
        for each in (message(1), message(2, author=OTHER_USER)):
            await talk.messages.accept(each, at=NOW - 60)
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.is_asked("uwe: text 1")
        talk.answer()
        await talk.is_asked("uwe: text 1", "ute: text 2")
        await talk.catch_up.run()

        assert talk.conversation.waiting_turns == 0


async def test_what_was_edited_while_the_bot_was_away_is_answered_as_it_reads_now(
    tmp_path: Path,
) -> None:
    house = TalkHouse(tmp_path)
    async with house.open() as talk:
        await talk.messages.accept(
            message(1, "wrong", attachments=(attachment(1, "a.txt", 5),)), at=NOW - 60
        )
    house.history.messages = [message(1, "right")]
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.is_asked("uwe: right")
        (record,) = await talk.messages.unanswered()

    assert (record.text, record.attachments) == ("right", ())


async def test_what_was_taken_back_while_the_bot_was_away_is_not_answered(tmp_path: Path) -> None:
    house = TalkHouse(tmp_path)
    async with house.open() as talk:
        for number in (1, 2, 3):
            await talk.messages.accept(message(number), at=NOW - 60)
            await house.messenger.react(ref(number), QUEUED)
    house.history.gone = {ref(1)}
    house.history.messages = [message(2, mentions=False)]
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.is_asked("uwe: text 3")
        states = [await talk.messages.state_of(ref(number)) for number in (1, 2)]

    assert states == [MessageState.WITHDRAWN, MessageState.WITHDRAWN]
    assert house.messenger.reactions == [(ref(1), QUEUED), (ref(3), QUEUED)]
    assert house.messenger.messages == []


async def test_what_was_begun_or_asked_about_is_left_as_it_was(tmp_path: Path) -> None:
    house = TalkHouse(tmp_path)
    async with house.open() as talk:
        await talk.messages.accept(message(1), at=NOW - 60)
        await talk.messages.begun(turn_of(message(1)), session_id=SESSION, at=NOW)
        await talk.messages.accept_question(message(2, "what is that?"), at=NOW - 60)
    house.history.gone = {ref(1), ref(2)}
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.is_asked("uwe: text 1")
        talk.answer()
        await talk.is_asked("uwe: text 1", "uwe: what is that?")


async def test_what_got_too_old_gets_one_word_for_each_person_once(tmp_path: Path) -> None:
    house = TalkHouse(tmp_path)
    async with house.open() as talk:
        for number in (1, 2):
            await talk.messages.accept(message(number), at=NOW - FRESH_SECONDS)
            await house.messenger.react(ref(number), QUEUED)
        await talk.messages.accept_question(message(3), at=NOW - FRESH_SECONDS)
    for _ in range(2):
        async with house.open() as talk:
            await talk.catch_up.run()
            assert talk.replies == [(ref(2), away(2)), (ref(3), AWAY_WHEN_ASKED)]
            assert talk.asked == []
            assert await talk.waiting() == []

    assert house.messenger.reactions == []


async def test_an_answer_that_was_whole_is_shown_however_old_it_is_and_not_asked_for_again(
    tmp_path: Path,
) -> None:
    house, question = TalkHouse(tmp_path), message(1)
    async with house.open() as talk:
        await talk.messages.accept(question, at=NOW - 10 * FRESH_SECONDS)
        await talk.messages.begun(turn_of(question), session_id=SESSION, at=NOW)
        await talk.messages.answer_is_whole(turn_of(question), "Hi.")
    async with house.open() as talk:
        await talk.catch_up.run()
        await until(lambda: [shown.text for shown in talk.surface.shown] == ["Hi."])

        assert talk.asked == []


@pytest.mark.parametrize("age_seconds", [60.0, 2 * FRESH_SECONDS])
async def test_what_had_led_to_a_job_is_not_asked_again(tmp_path: Path, age_seconds: float) -> None:
    house, question = TalkHouse(tmp_path, jobs_started=["fibonacci"]), message(1)
    async with house.open() as talk:
        await talk.messages.accept(question, at=NOW - age_seconds)
        await talk.messages.begun(turn_of(question), session_id=SESSION, at=NOW)
    async with house.open() as talk:
        await talk.catch_up.run()
        await until(lambda: bool(talk.surfaces) and bool(talk.surface.shown))

        assert [shown.text for shown in talk.surface.shown] == [already_started(["fibonacci"])]
        assert talk.asked == []


async def test_what_had_led_to_nothing_is_asked_again(tmp_path: Path) -> None:
    house, question = TalkHouse(tmp_path), message(1)
    async with house.open() as talk:
        await talk.messages.accept(question, at=NOW)
        await talk.messages.begun(turn_of(question), session_id=SESSION, at=NOW)
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.is_asked("uwe: text 1")


async def test_who_may_not_talk_by_now_is_not_answered(tmp_path: Path) -> None:
    house = TalkHouse(tmp_path)
    async with house.open() as talk:
        await talk.messages.accept(message(1, author=STRANGER), at=NOW - 60)
    async with house.open() as talk:
        await talk.catch_up.run()

        assert talk.replies == [(ref(1), away(1))]


async def test_what_was_written_unheard_is_answered_if_it_is_for_the_bot(tmp_path: Path) -> None:
    house = TalkHouse(tmp_path)
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.intake.arrived(message(0))
        house.history.messages = [
            message(0),
            message(1, author=STRANGER),
            message(2, mentions=False),
            message(3),
        ]
        await talk.catch_up.run()
        await talk.is_asked("uwe: text 0")
        talk.answer("zero")
        await talk.is_asked("uwe: text 0", "uwe: text 3")

        assert talk.replies == []
        assert house.history.asked == [(11, ref(0).message_id)]


async def test_what_was_written_unheard_long_ago_gets_a_word(tmp_path: Path) -> None:
    house, old = TalkHouse(tmp_path), message(1, age_seconds=FRESH_SECONDS + 1)
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.intake.arrived(message(0, age_seconds=2 * FRESH_SECONDS))
        house.history.messages = [old]
        for _ in range(2):
            await talk.catch_up.run()

        assert talk.replies == [(old.ref, away(1))]


async def test_a_channel_that_could_not_be_read_is_read_from_the_same_message_next_time(
    tmp_path: Path,
) -> None:
    house = TalkHouse(tmp_path)
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.intake.arrived(message(0))
        house.history.failures = 1
        await talk.catch_up.run()
        await talk.intake.arrived(message(2))
        house.history.messages = [message(1)]
        await talk.catch_up.run()
        await talk.catch_up.run()
        unanswered = await talk.waiting()

    first, newest = ref(0).message_id, ref(2).message_id
    assert house.history.asked == [(11, first), (11, first), (11, newest)]
    assert unanswered == ["text 0", "text 1", "text 2"]


async def test_a_channel_in_which_nobody_ever_wrote_to_the_bot_is_read_from_the_first_start_on(
    tmp_path: Path,
) -> None:
    house = TalkHouse(tmp_path, bound_channel_ids={13})
    for seconds in (0.0, 50.0):
        house.clock.advance(seconds)
        house.history.asked.clear()
        async with house.open() as talk:
            await talk.conversations.open(Place(guild_id=10, channel_id=12), USER)
            await talk.catch_up.run()

        assert sorted(house.history.asked) == [(12, first_id_at(NOW)), (13, first_id_at(NOW))]


async def test_a_thread_is_known_as_one_after_a_restart(tmp_path: Path) -> None:
    house = TalkHouse(tmp_path)
    async with house.open() as talk:
        await talk.messages.accept(replace(message(1), place=replace(HERE, parent_id=9)), at=NOW)
    async with house.open() as talk:
        await talk.catch_up.run()

        assert [place.parent_id for place in talk.conversations.places] == [9]
