"""The real `claude`, on a Messages API that the tests script."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from bot.conversation.draft import Draft
from bot.speaker.sentences import AFRESH, CANCELLED, LOST
from bot.speaker.speaker import Answered, Failed, Spent, Warned
from simulator.messages_api import (
    Answer,
    Cut,
    Hang,
    HttpError,
    ModelRequest,
    Say,
    StreamError,
    echo,
)
from tests.fakes.speaker_house import said, speaker_house, words
from tests.fakes.waiting import until


def last_line(request: ModelRequest) -> Say:
    """What was interrupted and what is said next come to the model as one message."""
    return Say(request.last_user_text.splitlines()[-1])


async def test_one_warm_process_answers_turn_after_turn(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo) as house:
        speaker = house.speaker()
        speaker.warm_up()
        first = await said(speaker, "olga: one")
        process_id = house.process_id()
        second = await said(speaker, "olga: two")

        assert house.process_id() == process_id
    assert words(first) == "You said: olga: one"
    assert words(second) == "You said: olga: two"
    assert second[-1] == Answered()
    assert len(set(house.began)) == 1


async def test_the_model_is_told_how_to_answer_and_has_only_tools_to_look(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo) as house:
        speaker = house.speaker()
        await said(speaker, "olga: hi")
        request = await house.api.asked(1)

    assert "You are Papercup" in request.system_text
    # Claude adds a placeholder of its own where tools may still be announced.
    assert set(request.tools) - {"DeferredToolPlaceholder"} == {"Read", "Glob", "Grep"}


async def test_after_a_crash_it_says_so_and_comes_back_with_what_was_said(tmp_path: Path) -> None:
    asked: list[tuple[str, ...]] = []

    def script(request: ModelRequest) -> Say | Hang:
        asked.append(request.user_texts)
        return Hang(30.0) if len(asked) == 2 else Say("Fine.")

    async with speaker_house(tmp_path, script) as house, asyncio.TaskGroup() as tasks:
        speaker = house.speaker()
        await said(speaker, "olga: my cat is Tom")
        crashing = tasks.create_task(said(speaker, "olga: and my dog?"))
        await until(lambda: len(asked) == 2)
        os.kill(house.process_id(), signal.SIGKILL)
        assert (await crashing)[-1] == Failed(LOST)
        after = await said(speaker, "olga: are you there?")

    assert words(after) == "Fine."
    assert any("my cat is Tom" in text for text in asked[-1])
    assert len(set(house.began)) == 1


async def test_a_session_that_claude_does_not_have_any_more_is_begun_afresh(
    tmp_path: Path,
) -> None:
    lost = "11111111-2222-4333-8444-555555555555"
    async with speaker_house(tmp_path, echo) as house:
        speaker = house.speaker(claude_session_id=lost)
        events = await said(speaker, "olga: hi")

    assert Warned(AFRESH) in events
    assert words(events) == "You said: olga: hi"
    assert house.began[-1] != lost


async def test_a_failure_of_the_model_is_one_sentence(tmp_path: Path) -> None:
    script_error = HttpError(401, "authentication_error", "invalid x-api-key")
    async with speaker_house(tmp_path, lambda _: script_error) as house:
        speaker = house.speaker()
        events = await said(speaker, "olga: hi")

    assert isinstance(events[-1], Failed)
    assert "API key" in events[-1].sentence


async def test_tools_that_cannot_be_reached_are_told_of(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo, mcp_url="http://127.0.0.1:9/mcp") as house:
        speaker = house.speaker()
        events = await said(speaker, "olga: hi")

    assert [e for e in events if isinstance(e, Warned)] != []
    assert events[-1] == Answered()


@pytest.mark.parametrize(
    "fault",
    [
        StreamError(after_text="No, it"),
        Cut("No, it has failed.", after_words=2),
        Cut("No, it has failed.", after_words=2, is_clean=True),
    ],
)
async def test_what_is_said_anew_after_a_fault_is_shown_whole_and_once(
    tmp_path: Path, fault: StreamError | Cut
) -> None:
    answers: list[Answer] = [fault]

    def script(_: ModelRequest) -> Answer:
        return answers.pop() if answers else Say("No, it has failed.")

    async with speaker_house(tmp_path, script) as house:
        speaker = house.speaker()
        draft = Draft()
        for event in await said(speaker, "olga: is it done?"):
            draft.add(event)

    assert draft.text == "No, it has failed."


async def test_what_is_asked_while_the_process_dies_is_asked_of_the_next(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, echo) as house:
        speaker = house.speaker()
        await said(speaker, "olga: one")
        os.kill(house.process_id(), signal.SIGKILL)
        events = await said(speaker, "olga: two")

    assert words(events) == "You said: olga: two"


async def test_a_stuck_process_is_ended_when_its_turn_is_cancelled(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, lambda _: Hang(30.0)) as house, asyncio.TaskGroup() as tasks:
        speaker = house.speaker()
        turn = tasks.create_task(said(speaker, "olga: think hard"))
        await house.api.asked(1)
        os.kill(house.process_id(), signal.SIGSTOP)
        assert await speaker.interrupt()
        assert (await turn)[-1] == Failed(CANCELLED)
        assert not await speaker.interrupt()


async def test_an_interrupted_turn_ends_and_the_next_is_answered(tmp_path: Path) -> None:
    async with speaker_house(tmp_path, lambda _: Hang(30.0)) as house, asyncio.TaskGroup() as tasks:
        speaker = house.speaker()
        turn = tasks.create_task(said(speaker, "olga: think hard"))
        await house.api.asked(1)
        await speaker.interrupt()
        events = await turn
        house.api.script = last_line
        after = await said(speaker, "olga: again")

    assert events[-1] == Failed(CANCELLED)
    assert words(after) == "olga: again"


async def test_a_turn_that_takes_too_long_is_broken_off_and_its_end_is_nobody_elses(
    tmp_path: Path,
) -> None:
    async with speaker_house(tmp_path, lambda _: Hang(30.0), turn_timeout_seconds=3.0) as house:
        speaker = house.speaker()
        events = await said(speaker, "olga: think for ever")
        house.api.script = last_line
        after = await said(speaker, "olga: again")

    spent, failed = events
    assert isinstance(spent, Spent)
    assert failed == Failed("I broke off after 3 seconds; work that long belongs in a job.")
    assert words(after) == "olga: again"
    assert after[-1] == Answered()
