"""Everybody on a line is heard: real Opus, models that hear what they are told, virtual time."""

import asyncio

import pytest

from tests.fakes.heard_line import END, WORDS, Line, on_a_line
from tests.fakes.talking_person import TalkingPerson
from voice.events import EndReason, Guessed, HeardPacket, UtteranceEnded, VoiceBegan, VoiceWentOn
from voice.model_pool import Priority
from voice.samples import HEARING_RATE


def test_what_somebody_says_is_told_300_ms_after_they_have_ended() -> None:
    async def scene(line: Line) -> None:
        await line.person().says(WORDS + END)
        await asyncio.sleep(2)

    line = on_a_line(scene)
    assert line.texts == ["hello there"]
    (said,) = line.utterances
    assert said.person_id == 1
    assert said.reason is EndReason.COMPLETE
    assert said.began_at == pytest.approx(0.02, abs=0.03)
    assert said.ended_at == pytest.approx(0.5, abs=0.03)
    assert said.committed_at - said.ended_at == pytest.approx(0.3, abs=0.001)
    assert said.times.transcribed == pytest.approx(0.05)
    assert isinstance(line.events[0], VoiceBegan)
    assert isinstance(line.events[-1], UtteranceEnded)


def test_packets_that_just_stop_are_as_good_as_silence() -> None:
    async def scene(line: Line) -> None:
        await line.person().says(WORDS)
        await asyncio.sleep(2)

    (said,) = on_a_line(scene).utterances
    assert said.committed_at - said.ended_at == pytest.approx(0.3, abs=0.001)


def test_silence_that_is_sent_is_as_good_as_none() -> None:
    async def scene(line: Line) -> None:
        await line.person().says(WORDS + "." * 60)

    (said,) = on_a_line(scene).utterances
    assert said.committed_at - said.ended_at == pytest.approx(0.3, abs=0.03)


def test_speech_to_text_is_given_what_was_said_with_a_little_around_it() -> None:
    async def scene(line: Line) -> None:
        await line.person().says("." * 50 + WORDS + END)
        await asyncio.sleep(2)

    (audio,) = on_a_line(scene).fake.speech_to_text.heard
    assert audio.size / HEARING_RATE == pytest.approx(0.3 + 0.5 + 0.16, abs=0.07)
    assert abs(audio[: HEARING_RATE // 4]).max() < 0.01
    assert abs(audio[HEARING_RATE // 2 : HEARING_RATE * 3 // 4]).max() > 0.2


def test_a_pause_in_which_nothing_was_sent_is_heard_as_a_pause() -> None:
    async def scene(line: Line) -> None:
        await line.person().says(WORDS + END + " " * 5 + WORDS + END)
        await asyncio.sleep(2)

    line = on_a_line(scene, texts=["run", "run the tests"])
    assert line.texts == ["run the tests"]
    assert line.fake.speech_to_text.heard[-1].size / HEARING_RATE == pytest.approx(
        0.5 + 0.2 + 0.5 + 0.16, abs=0.07
    )


def test_voice_after_a_long_silence_is_judged_afresh() -> None:
    async def scene(line: Line) -> None:
        await line.person().says(WORDS + END + " " * 20 + WORDS + " " * 6 + WORDS + END)
        await asyncio.sleep(2)

    (stream,) = on_a_line(scene).fake.voice_activity.streams
    assert stream.resets == 1


def test_packets_that_overtake_each_other_are_heard_in_order() -> None:
    async def scene(line: Line) -> None:
        taken: list[HeardPacket] = []
        await TalkingPerson(taken.append).says(WORDS + END)
        for first, second in zip(taken[::2], taken[1::2], strict=True):
            line.hearing.packet(second)
            line.hearing.packet(first)
        await asyncio.sleep(2)

    line = on_a_line(scene)
    assert line.texts == ["hello there"]
    counts = line.hearing.report().counts
    # The very first one was not waited for: nobody knew of it.
    assert (counts["packets"], counts["late"], counts.get("lost", 0)) == (30, 1, 0)


def test_loss_is_recovered_from_the_next_packet_or_concealed_and_counted() -> None:
    async def scene(line: Line) -> None:
        await line.person().says("#####x####xx####?####" + WORDS + END)
        await asyncio.sleep(2)

    line = on_a_line(scene)
    assert line.texts == ["hello there"]
    assert line.hearing.report().counts == {
        "packets": 48,
        "lost": 3,
        "recovered": 2,
        "concealed": 1,
        "broken": 1,
        "utterances": 1,
    }
    assert line.utterances[0].voiced_seconds == pytest.approx(46 * 0.02, abs=0.07)


def test_people_who_talk_at_once_are_told_apart() -> None:
    async def scene(line: Line) -> None:
        line.fake.speech_to_text.texts = ["from one", "from two"]
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(line.person(1).says(WORDS + END))
            tasks.create_task(line.person(2).says("#" * 40 + END))
        await asyncio.sleep(2)

    line = on_a_line(scene)
    assert [(said.person_id, said.text) for said in line.utterances] == [
        (1, "from one"),
        (2, "from two"),
    ]


def test_a_line_on_which_nobody_talks_has_nothing_to_do() -> None:
    async def scene(line: Line) -> None:
        await line.person().says(WORDS + END)
        await asyncio.sleep(2)
        # The loop that plays scenes fails if nothing is planned while all wait.
        await asyncio.Event().wait()

    with pytest.raises(AssertionError, match="nothing will ever happen"):
        on_a_line(scene)


def test_a_guess_is_told_in_a_pause_and_what_is_asked_for_at_once() -> None:
    async def scene(line: Line) -> None:
        person = line.person()
        await person.says(WORDS)
        line.hearing.listen_in(1)
        line.hearing.listen_in(1)
        await person.says(WORDS + END)
        await asyncio.sleep(2)

    line = on_a_line(scene, texts=["stop", "stop it now"])
    assert [event.text for event in line.events if isinstance(event, Guessed)] == [
        "stop",
        "stop it now",
    ]
    assert line.pool.priorities == [Priority.INTERRUPTION, Priority.GUESS, Priority.GUESS]
    guess = line.of(Guessed)[0]
    assert isinstance(guess, Guessed)
    assert guess.voiced_seconds == pytest.approx(0.5, abs=0.04)


def test_listening_in_on_somebody_who_says_nothing_tells_nothing() -> None:
    async def scene(line: Line) -> None:
        line.hearing.listen_in(1)
        person = line.person()
        await person.says("." * 10)
        line.hearing.listen_in(1)
        await asyncio.sleep(2)

    line = on_a_line(scene)
    assert (line.events, line.pool.priorities) == ([], [])


def test_who_goes_on_is_not_written_down_in_vain() -> None:
    async def scene(line: Line) -> None:
        line.pool.seconds = 0.5
        await line.person().says(WORDS + END + "     " + WORDS + END)
        await asyncio.sleep(2)

    line = on_a_line(scene)
    assert len(line.fake.speech_to_text.heard) == 1
    assert len(line.utterances) == 1


def test_the_time_of_each_stage_is_reported() -> None:
    async def scene(line: Line) -> None:
        person = line.person()
        for _ in range(3):
            await person.says(WORDS + END)
            await asyncio.sleep(2)

    stages = on_a_line(scene).hearing.report().stages
    assert stages["speech to text"].p50_seconds == pytest.approx(0.05)
    assert stages["end of turn"].count == 3
    assert stages["end of speech → transcript"].p95_seconds == pytest.approx(0.3, abs=0.01)


def test_what_is_said_for_too_long_is_told_in_two_parts() -> None:
    async def scene(line: Line) -> None:
        await line.person().says(("#" * 99 + "...") * 8 + END)
        await asyncio.sleep(2)

    line = on_a_line(scene, texts=["one", "two"])
    assert line.texts == ["one", "two"]
    first, second = line.fake.speech_to_text.heard
    assert (first.size + second.size) / HEARING_RATE == pytest.approx(16.3, abs=0.4)
    voiced = [event for event in line.events if isinstance(event, VoiceWentOn)]
    assert max(event.voiced_seconds for event in voiced) < 15.1
