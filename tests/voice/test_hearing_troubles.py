"""People who leave, lines that are muted, and models that break."""

import asyncio

import pytest

from tests.fakes.heard_line import END, WORDS, Line, on_a_line
from tests.fakes.talking_person import TalkingPerson
from tests.fakes.virtual_clock import run_on_virtual_clock
from tests.fakes.voice_models import FakeModels, FakePool
from voice.engines.protocols import EngineError
from voice.events import EndReason, HearingEvent, UtteranceEnded, VoiceFaded
from voice.hearing import running_hearing
from voice.model_pool import PoolFullError, Priority


def test_somebody_who_leaves_is_heard_to_the_end_and_may_come_back() -> None:
    async def scene(line: Line) -> None:
        await line.person().says(WORDS)
        line.hearing.left(1)
        line.hearing.left(2)
        await asyncio.sleep(1)
        await line.person().says(WORDS + END)
        await asyncio.sleep(2)

    assert [said.reason for said in on_a_line(scene).utterances] == [
        EndReason.LEFT,
        EndReason.COMPLETE,
    ]


def test_a_muted_line_hears_nothing_and_forgets_what_was_being_said() -> None:
    async def scene(line: Line) -> None:
        person = line.person()
        await person.says(WORDS)
        line.hearing.set_muted(True)
        await person.says(WORDS + END)
        await asyncio.sleep(2)
        assert isinstance(line.events[-1], VoiceFaded)
        line.hearing.set_muted(False)
        await person.says(WORDS + END)
        await asyncio.sleep(2)

    line = on_a_line(scene)
    assert len(line.utterances) == len(line.fake.speech_to_text.heard) == 1


def test_speech_to_text_that_breaks_is_told_once_and_tried_again() -> None:
    async def scene(line: Line) -> None:
        person, engine = line.person(), line.fake.speech_to_text
        engine.error = EngineError("no memory; get some")
        for _ in range(2):
            await person.says(WORDS + END)
            await asyncio.sleep(2)
        assert line.hearing.report().troubles == {"fake speech to text": "no memory; get some"}
        engine.error = None
        await person.says(WORDS + END)
        await asyncio.sleep(2)

    line = on_a_line(scene)
    assert [str(error) for error in line.troubles] == ["no memory; get some"]
    assert line.texts == ["hello there"]
    assert len(line.of(VoiceFaded)) == 2
    assert line.hearing.report().troubles == {}


def test_without_end_of_turn_people_are_heard_only_later() -> None:
    async def scene(line: Line) -> None:
        line.fake.end_of_turn.error = EngineError("gone")
        await line.person().says(WORDS + END)
        await asyncio.sleep(2)

    line = on_a_line(scene)
    assert [str(error) for error in line.troubles] == ["gone"]
    assert line.utterances[0].times.waited == pytest.approx(0.8)


def test_broken_voice_activity_is_told_once_and_tried_again() -> None:
    async def scene(line: Line) -> None:
        line.fake.voice_activity.error = EngineError("gone")
        await line.person().says(WORDS + END)
        await asyncio.sleep(2)
        line.fake.voice_activity.error = None
        await line.person(2).says(WORDS + END)
        await asyncio.sleep(2)

    line = on_a_line(scene)
    assert [str(error) for error in line.troubles] == ["gone"]
    assert [said.person_id for said in line.utterances] == [2]


def test_an_engine_with_a_bug_is_a_broken_one(caplog: pytest.LogCaptureFixture) -> None:
    async def scene(line: Line) -> None:
        line.pool.errors = [ValueError("a bug"), ValueError("a bug")]
        await line.person().says(WORDS + END)
        await asyncio.sleep(2)

    line = on_a_line(scene)
    assert line.texts == ["hello there"]
    assert {str(error).split(" failed")[0] for error in line.troubles} == {
        "fake speech to text",
        "fake end of turn",
    }
    assert "a bug" in caplog.text


def test_a_guess_that_an_overloaded_machine_leaves_out_is_made_up_for_at_the_end() -> None:
    async def scene(line: Line) -> None:
        line.pool.errors = [PoolFullError()]
        await line.person().says(WORDS + END)
        await asyncio.sleep(2)

    line = on_a_line(scene)
    assert line.texts == ["hello there"]
    assert line.pool.priorities[-1] is Priority.FINAL
    assert line.hearing.report().counts["overloaded"] == 1
    assert line.troubles == []


def test_a_mistake_of_whoever_is_told_does_not_make_the_line_deaf(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scene() -> list[HearingEvent]:
        events: list[HearingEvent] = []

        def tell(event: HearingEvent) -> None:
            events.append(event)
            raise ValueError("a mistake")

        async with running_hearing(
            FakeModels().models(), FakePool(), tell, broke=lambda _: None
        ) as hearing:
            await TalkingPerson(hearing.packet).says(WORDS + END)
            await asyncio.sleep(2)
        return events

    assert isinstance(run_on_virtual_clock(scene())[-1], UtteranceEnded)
    assert "hearing goes on" in caplog.text


def test_it_ends_at_once_though_something_is_being_written_down() -> None:
    async def scene(line: Line) -> None:
        line.pool.seconds = 1000.0
        person = line.person()
        await person.says(WORDS)
        line.hearing.listen_in(1)
        await person.says(END + "        ")

        line.people.append(person)

    line = on_a_line(scene)
    assert line.fake.speech_to_text.heard == []
    line.hearing.packet(line.people[0].packets[0])
    assert line.utterances == []
