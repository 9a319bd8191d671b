"""What a bot makes of what was written unheard in channels in which nobody talks with it."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.access import Place
from bot.conversation.catch_up import away
from bot.conversation.hearing import OVERLAP_SECONDS
from bot.conversation.incoming import IncomingMessage
from bot.conversation.message_record import FRESH_SECONDS
from bot.messenger import MessengerError
from tests.fakes.talk_house import NOW, STRANGER, USER, TalkHouse, message

ELSEWHERE = Place(guild_id=10, channel_id=12)
AWAY_SECONDS = 300.0


def written_in(place: Place, number: int = 1, *, mentions: bool = True) -> IncomingMessage:
    """Return something that was written there after the first start ever."""
    said = message(number, age_seconds=-AWAY_SECONDS, mentions=mentions)
    return replace(said, place=place, ref=replace(said.ref, channel_id=place.channel_id))


async def leave(house: TalkHouse) -> None:
    """Have the first bot ever come and go, and stay away for a while."""
    async with house.open() as talk:
        await talk.catch_up.run()
    house.clock.advance(AWAY_SECONDS + 60.0)


async def test_what_was_written_while_no_bot_was_there_is_answered_where_nobody_ever_did(
    tmp_path: Path,
) -> None:
    house = TalkHouse(tmp_path)
    await leave(house)
    house.history.messages = [
        written_in(ELSEWHERE, 1, mentions=False),
        replace(written_in(ELSEWHERE, 2), author=STRANGER),
        written_in(ELSEWHERE, 3),
    ]
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.is_asked("uwe: text 3")
        await talk.catch_up.run()

        assert talk.conversations.places == [ELSEWHERE]
        assert await talk.waiting() == ["text 3"]
        assert talk.replies == []


async def test_what_was_written_before_the_first_start_ever_is_nobodys_business(
    tmp_path: Path,
) -> None:
    house = TalkHouse(tmp_path)
    before = message(1, age_seconds=1.0)
    there = replace(before.ref, channel_id=ELSEWHERE.channel_id)
    house.history.messages = [replace(before, place=ELSEWHERE, ref=there)]
    for _ in range(2):
        async with house.open() as talk:
            await talk.catch_up.run()

            assert await talk.waiting() == []
            assert talk.replies == []


async def test_what_was_written_long_ago_where_nobody_ever_did_gets_a_word(tmp_path: Path) -> None:
    house = TalkHouse(tmp_path)
    await leave(house)
    house.clock.advance(FRESH_SECONDS)
    old = written_in(ELSEWHERE)
    house.history.messages = [old]
    for _ in range(2):
        async with house.open() as talk:
            await talk.catch_up.run()

            assert talk.replies == [(old.ref, away(1))]
            assert talk.conversations.places == []


async def test_what_was_written_into_the_thread_of_a_session_that_was_hung_up_is_answered(
    tmp_path: Path,
) -> None:
    house, thread = TalkHouse(tmp_path), replace(ELSEWHERE, parent_id=11)
    async with house.open() as talk:
        await talk.conversations.open(thread, USER, in_own_thread=True)
        await talk.conversations.close(thread)
    await leave(house)
    house.history.messages = [written_in(thread, mentions=False)]
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.is_asked("uwe: text 1")


async def test_direct_messages_without_an_open_conversation_are_read(tmp_path: Path) -> None:
    house, direct = TalkHouse(tmp_path), Place(guild_id=None, channel_id=14)
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.intake.arrived(replace(written_in(direct), text="text 0"))
        await talk.conversations.close(direct)
    house.clock.advance(AWAY_SECONDS + 60.0)
    house.history.messages = [written_in(direct, 2, mentions=False)]
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.is_asked("uwe: text 2")


async def test_of_very_many_channels_with_news_the_newest_fifty_are_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    house = TalkHouse(tmp_path, bound_channel_ids={100})
    await leave(house)
    house.history.messages = [
        written_in(Place(guild_id=10, channel_id=number), number, mentions=False)
        for number in range(100, 152)
    ]
    house.history.asked.clear()
    async with house.open() as talk:
        await talk.catch_up.run()

    assert sorted(channel for channel, _ in house.history.asked) == [100, *range(102, 152)]
    assert [r.getMessage() for r in caplog.records] == ["1 more channels have news than are read"]


async def test_a_later_bot_looks_no_further_back_than_to_what_this_one_heard(
    tmp_path: Path,
) -> None:
    house = TalkHouse(tmp_path)
    async with house.open() as talk:
        house.clock.advance(1000.0)
        await talk.catch_up.heard_until(NOW + 1000.0)
        before_it_looked = talk.hearing.until
        await talk.catch_up.run()
        after_it_looked = talk.hearing.until
        await talk.catch_up.heard_until(NOW + 2000.0)
        later = talk.hearing.until

    assert before_it_looked == NOW
    assert [at + OVERLAP_SECONDS for at in (after_it_looked, later)] == [NOW + 1000.0, NOW + 2000.0]


@pytest.mark.parametrize("is_final", [False, True])
async def test_what_could_not_be_read_stays_unheard_unless_it_can_never_be(
    tmp_path: Path, *, is_final: bool
) -> None:
    house = TalkHouse(tmp_path)
    await leave(house)
    house.history.messages = [written_in(ELSEWHERE)]
    house.history.failure = MessengerError("refused", is_final=is_final)
    house.history.failures = 1
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.catch_up.heard_until(NOW + 2000.0)
        heard = talk.hearing.until

    assert (heard > NOW) == is_final


async def test_if_nobody_knows_where_something_was_written_it_is_asked_again_next_time(
    tmp_path: Path,
) -> None:
    house = TalkHouse(tmp_path)
    await leave(house)
    house.history.messages = [written_in(ELSEWHERE)]
    house.history.channel_failures = 1
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.catch_up.heard_until(NOW + 2000.0)
        assert await talk.waiting() == []
    async with house.open() as talk:
        await talk.catch_up.run()
        await talk.is_asked("uwe: text 1")


@pytest.mark.parametrize("is_gone", [False, True])
async def test_where_a_channel_was_deleted_meanwhile_its_session_is_hung_up(
    tmp_path: Path, *, is_gone: bool
) -> None:
    house = TalkHouse(tmp_path)
    async with house.open() as talk:
        await talk.conversations.open(ELSEWHERE, USER)
    house.history.failures = 1
    house.history.failure = MessengerError("no", is_final=True, is_gone=is_gone)
    async with house.open() as talk:
        await talk.catch_up.run()

        assert talk.conversations.places == ([] if is_gone else [ELSEWHERE])
