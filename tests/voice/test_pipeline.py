"""The whole of a voice line, but for the models: real Opus, on a virtual clock."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from tests.fakes.line_listener import ToldListener
from tests.fakes.speaking import FakeVoice, written
from tests.fakes.talking_person import TalkingPerson
from tests.fakes.virtual_clock import run_on_virtual_clock
from tests.fakes.voice_link import FakeLink
from tests.fakes.voice_models import FakeModels, FakePool
from voice.clips import Clips
from voice.engines.protocols import EngineError
from voice.events import Heard, LineState
from voice.line_report import FIRST_SOUND, FIRST_WORDS, TRANSCRIBED
from voice.pipeline import Pipeline, open_pipeline
from voice.pipeline_parts import PipelineParts
from voice.turn_options import TurnOptions
from voice.voices import Voices

ALICE, BOB, MALLORY = 1, 2, 3
HALF_A_SECOND = "#" * 25
END = "_____"
SILENCE = " " * 60
LONG_ANSWER = "The answer has a good many words in it, " * 5


@dataclass
class House:
    link: FakeLink
    told: ToldListener
    fake: FakeModels
    voice: FakeVoice
    pipeline: Pipeline

    def person(self, person_id: int = ALICE) -> TalkingPerson:
        return TalkingPerson(self.link.hear, person_id)


def on_a_line(
    scene: Callable[[House], Awaitable[None]],
    *,
    people: tuple[int, ...] = (ALICE,),
    texts: tuple[str, ...] = ("what time is it?",),
    has_models: bool = True,
) -> House:
    async def play() -> House:
        link = FakeLink(people=list(people), listeners=list(people))
        told, fake, voice = ToldListener({MALLORY}), FakeModels(), FakeVoice()
        fake.speech_to_text.texts = list(texts)
        voices = Voices(None, voice)
        parts = PipelineParts(
            link=link,
            listener=told,
            models=fake.models() if has_models else None,
            pool=FakePool(seconds=0.05),
            voices=voices,
            clips=Clips(voices),
            turns=TurnOptions(),
            troubles=() if has_models else ("There is no model.",),
            clock=asyncio.get_running_loop().time,
        )
        async with asyncio.timeout(600), open_pipeline(parts) as pipeline:
            await asyncio.sleep(1.0)
            house = House(link, told, fake, voice, pipeline)
            await scene(house)
        return house

    return run_on_virtual_clock(play())


def test_what_one_person_says_becomes_a_turn_and_the_answer_is_heard() -> None:
    heard: list[Heard] = []

    async def scene(house: House) -> None:
        await house.person().says(HALF_A_SECOND + END + SILENCE)
        house.pipeline.working_for(ALICE)
        heard.append(await house.pipeline.answer(written("It is ", "noon."), to=ALICE))
        house.pipeline.work_ended()
        stages = house.pipeline.report().stages
        assert [stages[stage].count for stage in (TRANSCRIBED, FIRST_WORDS, FIRST_SOUND)] == [1] * 3
        assert stages["speech to text"].count == 1

    house = on_a_line(scene)
    assert [turn.utterance.text for turn in house.told.turns] == ["what time is it?"]
    assert heard == [Heard(text="It is noon.", is_whole=True)]
    assert house.told.states == [
        (LineState.LISTENING, None),
        (LineState.HEARING, ALICE),
        (LineState.LISTENING, None),
        (LineState.THINKING, None),
        (LineState.SPEAKING, None),
        (LineState.THINKING, None),
        (LineState.LISTENING, None),
    ]


def test_a_person_who_talks_stops_the_speech_and_it_is_known_how_much_was_heard() -> None:
    heard: list[Heard] = []

    async def scene(house: House) -> None:
        async def answer() -> None:
            heard.append(await house.pipeline.answer(written(LONG_ANSWER), to=ALICE))

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(answer())
            await asyncio.sleep(1.5)
            await house.person().says(HALF_A_SECOND + END + SILENCE)

    house = on_a_line(scene, texts=("no wait, I meant tomorrow",))
    assert house.told.stops
    assert house.told.stops[0][0] == ALICE
    assert len(heard) == 1
    assert heard[0].interrupted_by == ALICE
    assert not heard[0].is_whole
    assert heard[0].text
    assert LONG_ANSWER.startswith(heard[0].text)
    assert len(heard[0].text) < len(LONG_ANSWER) / 2


def test_a_noise_only_pauses_the_speech_and_not_a_packet_is_lost() -> None:
    heard: list[Heard] = []

    async def scene(house: House) -> None:
        async def answer() -> None:
            heard.append(await house.pipeline.answer(written(LONG_ANSWER), to=ALICE))

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(answer())
            await asyncio.sleep(1.5)
            await house.person().says(HALF_A_SECOND + END + SILENCE)

    house = on_a_line(scene, texts=("mm-hmm",))
    assert house.told.stops == []
    assert heard == [Heard(text=LONG_ANSWER.rstrip(), is_whole=True)]
    assert house.link.heard_count == house.link.sent_count


def test_a_stranger_neither_starts_a_turn_nor_stops_the_speech() -> None:
    heard: list[Heard] = []

    async def scene(house: House) -> None:
        async def answer() -> None:
            heard.append(await house.pipeline.answer(written(LONG_ANSWER), to=ALICE))

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(answer())
            await asyncio.sleep(1.0)
            await house.person(MALLORY).says(HALF_A_SECOND + END + SILENCE)

    house = on_a_line(scene, people=(ALICE, MALLORY), texts=("papercup stop",))
    assert (house.told.turns, house.told.remarks, house.told.stops) == ([], [], [])
    assert [each.is_whole for each in heard] == [True]
    assert house.fake.speech_to_text.heard == []


def test_a_notice_is_not_said_into_the_words_of_a_stranger_either() -> None:
    said: list[float] = []

    async def scene(house: House) -> None:
        def text() -> str:
            said.append(asyncio.get_running_loop().time())
            return "It is done."

        async with asyncio.TaskGroup() as tasks:
            stranger = house.person(MALLORY)
            talking = tasks.create_task(stranger.says(HALF_A_SECOND * 6 + END + SILENCE))
            await asyncio.sleep(1.0)
            tasks.create_task(house.pipeline.announce(text))
            await asyncio.sleep(1.5)
            assert not said
            await talking

    house = on_a_line(scene, people=(ALICE, MALLORY))
    assert len(said) == 1
    assert house.fake.speech_to_text.heard == []


def test_a_right_that_was_taken_away_is_missed_at_the_next_utterance() -> None:
    async def scene(house: House) -> None:
        person = house.person()
        await person.says(HALF_A_SECOND + END + SILENCE * 2)
        house.told.strangers.add(ALICE)
        await person.says(HALF_A_SECOND + END + SILENCE * 2)

    house = on_a_line(scene)
    assert len(house.told.turns) == 1


def test_a_notice_waits_until_nobody_talks_and_is_made_right_before() -> None:
    spoken: list[str] = []

    async def scene(house: House) -> None:
        jobs = ["one"]

        async def announce() -> None:
            await house.pipeline.announce(lambda: f"{' and '.join(jobs)} ended.")

        async with asyncio.TaskGroup() as tasks:
            talk = tasks.create_task(house.person().says("#" * 100 + END))
            await asyncio.sleep(0.5)
            tasks.create_task(announce())
            await talk
            assert house.voice.asked[-1:] != ["one ended."]
            jobs.append("two")
            house.pipeline.working_for(ALICE)
            await asyncio.sleep(5)
            house.pipeline.work_ended()
        spoken.extend(house.voice.asked)

    on_a_line(scene)
    assert spoken[-1] == "one and two ended."


def test_what_is_to_be_said_word_for_word_comes_after_what_is_spoken() -> None:
    async def scene(house: House) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(house.pipeline.answer(written("First this."), to=ALICE))
            await asyncio.sleep(0.1)
            tasks.create_task(house.pipeline.say("Then that."))

    house = on_a_line(scene)
    assert house.voice.asked[-2:] == ["First this.", "Then that."]


def test_a_filler_bridges_a_long_thought_once() -> None:
    async def scene(house: House) -> None:
        before = house.link.sent_count
        house.pipeline.working_for(ALICE)
        await asyncio.sleep(10)
        assert house.link.sent_count > before
        after = house.link.sent_count
        await asyncio.sleep(10)
        assert house.link.sent_count == after
        house.pipeline.work_ended()

    house = on_a_line(scene)
    assert (LineState.SPEAKING, None) in house.told.states
    assert house.told.states[-1] == (LineState.LISTENING, None)


def test_an_answer_that_is_broken_off_leaves_the_floor_to_the_next() -> None:
    heard: list[Heard] = []

    async def scene(house: House) -> None:
        for seconds in (0.0, 0.5):
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await house.pipeline.answer(written(LONG_ANSWER), to=ALICE)
            assert house.link.waiting_count == 0
            assert house.told.states[-1] == (LineState.LISTENING, None)
        heard.append(await house.pipeline.answer(written("It is noon."), to=ALICE))

    on_a_line(scene)
    assert heard == [Heard(text="It is noon.", is_whole=True)]


def test_an_answer_without_a_word_is_nothing_heard() -> None:
    heard: list[Heard] = []

    async def nothing() -> AsyncGenerator[str, None]:
        for piece in list[str]():
            yield piece

    async def scene(house: House) -> None:
        heard.append(await house.pipeline.answer(nothing(), to=ALICE))

    on_a_line(scene)
    assert heard == [Heard(text="", is_whole=False)]


def test_a_muted_line_hears_nothing_until_it_listens_again() -> None:
    async def scene(house: House) -> None:
        house.pipeline.set_muted(True)
        await house.person().says(HALF_A_SECOND + END + SILENCE)
        assert house.told.turns == []
        house.pipeline.set_muted(False)
        await house.person().says(HALF_A_SECOND + END + SILENCE)

    house = on_a_line(scene)
    assert len(house.told.turns) == 1
    assert (LineState.MUTED, None) in house.told.states


def test_the_doctor_hears_somebody_without_a_turn() -> None:
    heard: list[str] = []

    async def scene(house: House) -> None:
        async with asyncio.TaskGroup() as tasks:
            asked = tasks.create_task(house.pipeline.heard_from(ALICE))
            await house.person().says(HALF_A_SECOND + END + SILENCE)
            heard.append(await asked)
        assert house.pipeline.report().stages[TRANSCRIBED].count == 1

    house = on_a_line(scene, texts=("one two three",))
    assert heard == ["one two three"]
    assert house.told.turns == []


def test_who_talks_already_when_the_doctor_listens_is_not_waited_for() -> None:
    async def scene(house: House) -> None:
        await house.person().says(HALF_A_SECOND)
        assert (LineState.HEARING, ALICE) in house.told.states
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(house.pipeline.heard_from(ALICE))
            await asyncio.sleep(2)
        assert house.told.states[-1] == (LineState.LISTENING, None)

    house = on_a_line(scene)
    assert house.told.turns == []


def test_a_line_without_models_says_so_and_still_speaks() -> None:
    heard: list[Heard] = []

    async def scene(house: House) -> None:
        heard.append(await house.pipeline.say("I cannot hear you."))
        assert house.pipeline.report().troubles == ("There is no model.",)

    house = on_a_line(scene, has_models=False)
    assert house.told.states[0] == (LineState.DEAF, None)
    assert heard == [Heard(text="I cannot hear you.", is_whole=True)]


def test_a_model_that_breaks_is_told_and_forgotten_once_it_works_again() -> None:
    async def scene(house: House) -> None:
        house.fake.speech_to_text.error = EngineError("The model broke; load another one.")
        await house.person().says(HALF_A_SECOND + END + SILENCE)
        assert house.told.states[-1] == (LineState.DEAF, None)
        assert house.pipeline.report().troubles == ("The model broke; load another one.",)
        house.fake.speech_to_text.error = None
        await house.person().says(HALF_A_SECOND + END + SILENCE)
        assert house.pipeline.report().troubles == ()

    house = on_a_line(scene)
    assert len(house.told.turns) == 1


def test_who_has_left_is_heard_no_more() -> None:
    async def scene(house: House) -> None:
        await house.person().says(HALF_A_SECOND)
        house.link.people.remove(ALICE)
        house.link.listeners.remove(ALICE)
        house.pipeline.people_changed()
        await asyncio.sleep(3)

    house = on_a_line(scene)
    assert house.told.states[-1] == (LineState.LISTENING, None)
