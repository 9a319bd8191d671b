"""Several speakers that share few seats: the real `claude`, on a Messages API of the tests."""

import asyncio
from pathlib import Path

from bot.speaker.claude_speaker import ClaudeSpeaker
from bot.speaker.sentences import BUSY, CANCELLED, STILL_BUSY
from bot.speaker.speaker import Answered, Delayed, Failed
from simulator.messages_api import Hang, ModelRequest, Say, echo
from tests.fakes.speaker_house import said, speaker_house, words
from tests.fakes.waiting import until


def hangs_if_told(request: ModelRequest) -> Say | Hang:
    return Hang(40.0) if "hang" in request.last_user_text else Say("Fine.")


async def test_no_process_runs_for_a_conversation_in_which_nobody_says_anything(
    tmp_path: Path,
) -> None:
    async with speaker_house(tmp_path, echo) as pool:
        pool.speaker("silent")
        await said(pool.speaker("loud"), "olga: hi")
        assert pool.warm() == ["loud"]


async def test_an_idle_speaker_ends_and_comes_back_with_what_was_said(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo, idle_seconds=0.2) as pool:
        speaker = pool.speaker("one")
        await said(speaker, "olga: my cat is Tom")
        await until(lambda: pool.warm() == [])
        again = await said(speaker, "olga: and my dog?")
        request = pool.api.model_requests[-1]
        await until(lambda: pool.warm() == [])

    assert words(again) == "You said: olga: and my dog?"
    assert any("my cat is Tom" in text for text in request.user_texts)


async def test_the_speaker_that_was_used_last_stays_and_the_other_makes_room(
    tmp_path: Path,
) -> None:
    async with speaker_house(tmp_path, echo, most_warm=2) as pool:
        one, two, three = (pool.speaker(name) for name in ("one", "two", "three"))
        for speaker in (one, two, one, three):
            events = await said(speaker, "olga: hi")
            assert events[-1] == Answered()
        warm = pool.warm()
        back = await said(two, "olga: back")

    assert warm == ["one", "three"]
    assert words(back) == "You said: olga: back"


async def test_while_all_are_busy_whoever_comes_is_told_and_is_next(tmp_path: Path) -> None:
    async with (
        speaker_house(tmp_path, hangs_if_told, most_warm=1) as pool,
        asyncio.TaskGroup() as tasks,
    ):
        one, two = pool.speaker("one"), pool.speaker("two")
        hanging = tasks.create_task(said(one, "olga: hang"))
        await pool.api.asked(1)

        answer = two.answer("uwe: hi")
        assert await anext(answer) == Delayed(BUSY)
        await one.interrupt()
        assert isinstance((await hanging)[-1], Failed)
        rest = [event async for event in answer]

        assert words(rest) == "Fine."
        assert pool.warm() == ["two"]


async def test_a_turn_that_waits_for_room_can_be_cancelled_and_nothing_is_started_for_it(
    tmp_path: Path,
) -> None:
    async with (
        speaker_house(tmp_path, hangs_if_told, most_warm=1) as pool,
        asyncio.TaskGroup() as tasks,
    ):
        one, two = pool.speaker("one"), pool.speaker("two")
        hanging = tasks.create_task(said(one, "olga: hang"))
        await pool.api.asked(1)

        answer = two.answer("uwe: hi")
        assert await anext(answer) == Delayed(BUSY)
        assert await two.interrupt()
        assert [event async for event in answer] == [Failed(CANCELLED)]
        assert pool.warm() == ["one"]
        await one.interrupt()
        await hanging

    assert len(pool.api.model_requests) == 1


class Stayer:
    """Implements `Guest`: it keeps its seat."""

    def leave(self) -> None:
        raise AssertionError

    def must_wait(self) -> None:
        raise AssertionError


async def test_a_turn_that_waits_for_room_too_long_says_so_and_the_next_is_answered(
    tmp_path: Path,
) -> None:
    async with speaker_house(tmp_path, echo, most_warm=1, turn_timeout_seconds=0.3) as pool:
        speaker = pool.speaker("two")
        async with pool.pool._seats.seat("somebody", Stayer()):
            events = await said(speaker, "uwe: hi")
            assert pool.warm() == []
    assert events == [Delayed(BUSY), Failed(STILL_BUSY)]


def deadline_of(speaker: ClaudeSpeaker) -> float:
    assert speaker._turn is not None
    return speaker._turn.deadline


async def test_the_time_of_a_turn_begins_when_it_has_a_seat(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo, most_warm=1) as pool:
        speaker = pool.speaker("two")
        async with pool.pool._seats.seat("somebody", Stayer()):
            answer = speaker.answer("uwe: hi")
            assert await anext(answer) == Delayed(BUSY)
            waiting_ends = deadline_of(speaker)
        rest = [await anext(answer)]
        assert deadline_of(speaker) > waiting_ends
        rest += [event async for event in answer]

    assert words(rest) == "You said: uwe: hi"
