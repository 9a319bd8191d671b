"""Where somebody begins, pauses and ends; each character of a script is a frame of 32 ms."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.endpointer_talk import Answer, Talk
from voice.endpointer import Endpointer, EndpointerOptions
from voice.endpointer_steps import Discard, Judge, Withdraw, WriteDown
from voice.events import (
    EndReason,
    Guessed,
    Utterance,
    UtteranceEnded,
    UtteranceTimes,
    VoiceBegan,
    VoiceFaded,
    VoicePaused,
    VoiceWentOn,
)
from voice.said import FRAME_SECONDS


def near(value: float, *, within: float | None = None) -> float:
    """Return what equals any number near by."""
    return cast("float", pytest.approx(value, abs=within))


def test_what_sounds_and_reads_complete_is_over_after_300_ms() -> None:
    talk = Talk().hear("..##########").wait(2)
    end = 12 * FRAME_SECONDS
    assert talk.utterances == [
        Utterance(
            person_id=1,
            text="Run the tests.",
            began_at=near(2 * FRAME_SECONDS),
            ended_at=near(end),
            committed_at=near(end + 0.3),
            voiced_seconds=near(10 * FRAME_SECONDS),
            reason=EndReason.COMPLETE,
            times=UtteranceTimes(waited=near(0.3), transcribed=0.05, decided=0.06),
        )
    ]


def test_everything_is_told_in_order() -> None:
    talk = Talk().hear("#######").wait(2)
    began, went_on = talk.steps[0], talk.steps[1]
    assert began == VoiceBegan(person_id=1, at=near(2 * FRAME_SECONDS))
    assert went_on == VoiceWentOn(
        person_id=1, voiced_seconds=near(2 * FRAME_SECONDS), at=near(2 * FRAME_SECONDS)
    )
    end = 7 * FRAME_SECONDS
    assert talk.steps[7:-1] == [
        VoicePaused(person_id=1, at=near(end + 0.16)),
        Judge(number=1),
        Guessed(
            person_id=1,
            text="Run the tests.",
            voiced_seconds=near(end),
            at=near(end + 0.21),
        ),
        Discard(),
    ]
    assert isinstance(talk.steps[-1], UtteranceEnded)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(over=0.49), id="it does not sound complete"),
        pytest.param(Answer(text="Run the tests and the"), id="the words dangle"),
        pytest.param(Answer(over=None), id="nobody can tell how it sounds"),
        pytest.param(Answer(over_after=9.0), id="how it sounds is told too late"),
    ],
)
def test_anything_else_is_over_after_800_ms(answer: Answer) -> None:
    talk = Talk([answer]).hear("##########").wait(2)
    assert [utterance.reason for utterance in talk.utterances] == [EndReason.SILENCE]
    assert talk.utterances[0].times.waited == near(0.8)


def test_silence_that_is_sent_counts_as_much_as_silence_that_is_not() -> None:
    talk = Talk().hear("##########..................")
    assert talk.utterances[0].times.waited == near(0.3, within=FRAME_SECONDS)


def test_what_is_judged_late_is_over_as_soon_as_it_is_judged() -> None:
    talk = Talk([Answer(over_after=0.3)]).hear("##########").wait(2)
    assert talk.utterances[0].reason == EndReason.COMPLETE
    assert talk.utterances[0].times.waited == near(0.46)


def test_a_transcript_that_comes_later_than_the_end_is_waited_for() -> None:
    talk = Talk([Answer(text_after=3.0)]).hear("##########").wait(2)
    assert talk.utterances == []
    talk.wait(2)
    assert talk.utterances[0].committed_at == near(10 * FRAME_SECONDS + 0.8)
    assert len(talk.of(WriteDown)) == 0


def test_a_guess_that_could_not_be_made_is_made_again_at_the_end() -> None:
    talk = Talk([Answer(text=None), Answer(text="Go on.")]).hear("##########").wait(2)
    assert talk.of(WriteDown) == [WriteDown(number=2)]
    assert [utterance.text for utterance in talk.utterances] == ["Go on."]


def test_what_can_never_be_written_down_fades() -> None:
    talk = Talk([Answer(text=None)]).hear("##########").wait(2)
    assert talk.utterances == []
    assert isinstance(talk.steps[-1], VoiceFaded)


def test_a_click_is_nothing() -> None:
    assert Talk().hear("..#....#...").wait(2).steps == []


def test_clicks_that_are_wide_apart_are_nothing() -> None:
    assert Talk().hear("#  #    #" + " " * 40 + "#").wait(2).steps == []


def test_less_than_200_ms_of_voice_fades_and_is_never_written_down() -> None:
    talk = Talk().hear("######").wait(2)
    assert talk.of(Judge, WriteDown) == []
    assert talk.steps[-2:] == [
        Discard(),
        VoiceFaded(person_id=1, at=near(6 * FRAME_SECONDS + 0.3)),
    ]


@pytest.mark.parametrize("text", ["", "♪♪♪", "[noise]"])
def test_what_has_no_words_fades(text: str) -> None:
    talk = Talk([Answer(text=text, over=0.0)]).hear("##########").wait(2)
    assert talk.utterances == []
    assert talk.steps[-1] == VoiceFaded(person_id=1, at=near(10 * FRAME_SECONDS + 0.3))


def test_a_ghost_of_noise_fades_and_the_same_words_of_a_person_do_not() -> None:
    noise = "##...##...##...##...##"
    assert Talk([Answer(text="Thank you.")]).hear(noise).wait(2).utterances == []
    assert len(Talk([Answer(text="Thank you.")]).hear("#" * 22).wait(2).utterances) == 1
    assert len(Talk([Answer(text="Thank you, Ann.")]).hear(noise).wait(2).utterances) == 1


def test_who_goes_on_after_a_pause_is_guessed_anew() -> None:
    talk = Talk([Answer("Run the", 0.1), Answer("Run the tests.")])
    talk.hear("##########......##########").wait(2)
    assert [utterance.text for utterance in talk.utterances] == ["Run the tests."]
    assert talk.utterances[0].voiced_seconds == near(20 * FRAME_SECONDS)
    assert talk.of(Judge, Withdraw) == [Judge(number=1), Withdraw(number=1), Judge(number=2)]


def test_a_click_in_a_pause_does_not_end_it() -> None:
    talk = Talk().hear("##########......#...").wait(2)
    assert len(talk.of(Judge)) == 1
    assert talk.utterances[0].ended_at == near(10 * FRAME_SECONDS)


def test_a_frame_of_voice_right_at_the_end_is_waited_out() -> None:
    talk = Talk().hear("##########").wait(0.25).hear("#")
    assert talk.utterances == []
    assert len(talk.hear("##########").wait(2).utterances) == 1


def test_who_is_used_to_pause_for_long_is_given_more_time() -> None:
    talk = Talk([Answer(over=0.0)])
    talk.hear("##########").wait(0.7).hear("##########").wait(2)
    assert talk.utterances[0].times.waited == near(0.8375, within=0.02)


def test_who_goes_on_right_after_they_were_taken_to_have_ended_is_given_more_time() -> None:
    talk = Talk([Answer(), Answer(), Answer(over=0.0)])
    talk.hear("##########").wait(1.1).hear("##########").wait(3).hear("##########").wait(2)
    assert talk.utterances[-1].times.waited == near(0.9)


def test_after_15_seconds_it_is_cut_between_two_words() -> None:
    word = "#" * 20 + "."
    talk = Talk([Answer("One."), Answer("Two.")]).hear(word * 23).wait(3)
    first, second = talk.utterances
    assert (first.text, first.reason) == ("One.", EndReason.TOO_LONG)
    assert (second.text, second.reason) == ("Two.", EndReason.COMPLETE)
    assert first.committed_at == near(15, within=FRAME_SECONDS)
    (written,) = talk.of(WriteDown)
    assert isinstance(written, WriteDown)
    assert first.ended_at == near(15 - written.carried_frames * FRAME_SECONDS, within=FRAME_SECONDS)
    assert second.began_at == near(first.ended_at)
    assert first.voiced_seconds + second.voiced_seconds == near(23 * 20 * FRAME_SECONDS)


def test_who_never_takes_a_breath_is_cut_right_at_15_seconds() -> None:
    talk = Talk().hear("#" * 480)
    assert talk.of(WriteDown) == [WriteDown(number=1, carried_frames=0)]
    assert len(talk.of(VoiceBegan)) == 2


def test_transcripts_are_told_in_the_order_of_speaking() -> None:
    answers = [Answer("One.", text_after=2.0), Answer("Two.", text_after=0.01)]
    talk = Talk(answers).hear("##########").wait(0.9).hear("##########").wait(3)
    assert [utterance.text for utterance in talk.utterances] == ["One.", "Two."]


def test_noise_before_somebody_talks_on_does_not_fade_what_they_say() -> None:
    answers = [Answer("", text_after=2.0), Answer("Two.", text_after=1.0)]
    talk = Talk(answers).hear("##########").wait(0.9).hear("#" * 60).wait(3)
    assert [utterance.text for utterance in talk.utterances] == ["Two."]
    assert talk.of(VoiceFaded) == []


def test_what_somebody_was_saying_who_leaves_is_written_down() -> None:
    talk = Talk().hear("##########")
    talk.take(talk.endpointer.left(talk.now))
    talk.wait(1)
    assert [utterance.reason for utterance in talk.utterances] == [EndReason.LEFT]


def test_nothing_is_made_of_what_was_said_before_it_was_forbidden() -> None:
    talk = Talk([Answer(text_after=5.0)]).hear("##########").wait(1).hear("##########").wait(0.2)
    talk.take(talk.endpointer.silenced(talk.now))
    assert talk.steps[-4:] == [
        Withdraw(number=1),
        Withdraw(number=2),
        Discard(),
        VoiceFaded(person_id=1, at=near(talk.now)),
    ]
    assert talk.wait(9).utterances == []
    assert talk.endpointer.silenced(talk.now) == []


def test_answers_that_nobody_waits_for_any_more_are_ignored() -> None:
    endpointer = Endpointer(1, EndpointerOptions())
    assert endpointer.written(7, "Hello.", seconds=0.1, at=1.0) == []
    assert endpointer.judged(7, 1.0, seconds=0.1, at=1.0) == []
    assert endpointer.left(1.0) == []


@given(script=st.text(alphabet="##. ", max_size=300), over=st.floats(0, 1))
def test_all_that_begins_ends_and_nothing_is_left_over(script: str, over: float) -> None:
    talk = Talk([Answer(over=over)]).hear(script).wait(5)
    began, ended = talk.of(VoiceBegan), talk.of(UtteranceEnded, VoiceFaded)
    assert len(began) == len(ended)
    assert talk.endpointer.next_at is None
    for utterance in talk.utterances:
        assert utterance.began_at < utterance.ended_at < utterance.committed_at
        assert 0.29 < utterance.times.waited < 1.0
        assert utterance.voiced_seconds > 0.19
