"""What waits for silence: a word while it thinks, a tone, and notices."""

import pytest

from tests.fakes.voice_scene import VoiceScene
from voice.commands import SpeechKind
from voice.events import LineMode
from voice.turn_options import TurnOptions


def answered(*people: str, text: str = "It is four.", mode: LineMode = LineMode.OPEN) -> VoiceScene:
    """Return a line on which Ann was answered from 0 s to 2 s."""
    scene = VoiceScene(*people, mode=mode)
    scene.speaks(text, 0.0, to="ann", seconds=2.0)
    return scene


# --- The filler and the tone. ---
FILLING = TurnOptions(tone=False)


def test_it_says_a_word_once_while_the_answer_takes_a_while() -> None:
    scene = VoiceScene("ann", options=FILLING)
    scene.works("ann", 1.0, 20.0)

    assert scene.run() == ["filler"]
    assert scene.when("filler") == pytest.approx(2.2)


def test_it_does_not_say_it_when_the_answer_comes_soon_or_nobody_waits_on_the_line() -> None:
    soon = VoiceScene("ann", options=FILLING)
    soon.works("ann", 1.0, 20.0)
    soon.speaks("It is four.", 2.0, to="ann")
    written = VoiceScene("ann", options=FILLING)
    written.works(None, 1.0, 20.0)
    off = VoiceScene("ann")
    off.works("ann", 1.0, 20.0)

    assert [soon.run(), written.run(), off.run()] == [[], [], []]


def test_it_does_not_say_it_over_somebody() -> None:
    scene = VoiceScene("ann", "bob", options=FILLING)
    scene.works("ann", 1.0, 20.0)
    ended = scene.says("bob", "so how was your day then", 2.0)

    assert sorted(scene.run()) == ["filler", "remark bob: so how was your day then"]
    assert scene.when("filler") >= ended


def test_a_filler_is_not_interrupted_and_its_echo_is_nothing() -> None:
    scene = VoiceScene("ann", options=FILLING)
    scene.speaks("Let me see.", 1.0, kind=SpeechKind.FILLER, seconds=0.9)
    scene.says("ann", "let me see", 1.1, seconds=0.6)
    scene.says("ann", "what is the time", 3.0)

    assert scene.run() == ["turn ann: what is the time"]


def test_the_echo_of_a_filler_is_nothing_though_the_answer_is_known_by_then() -> None:
    scene = VoiceScene("ann", options=FILLING)
    scene.speaks("Let me see.", 1.0, kind=SpeechKind.FILLER, seconds=0.9)
    scene.at(1.2, lambda: scene.turns.speech_grew("It is noon."))
    scene.says("ann", "let me see", 1.1, seconds=0.6)

    assert scene.run() == []


def test_what_is_said_after_a_filler_is_known_though_it_came_before_its_end() -> None:
    scene = VoiceScene("ann", options=FILLING)
    scene.speaks("Let me see.", 1.0, kind=SpeechKind.FILLER, seconds=0.9)
    scene.at(1.5, lambda: scene.turns.speech_grew("Shall I go on?"))
    scene.speaks("Shall I go on?", 1.9, to="ann", seconds=3.0, is_known=True)
    scene.says("ann", "No.", 4.4)

    assert scene.run() == ["pause", "stop ann: stop word", "turn ann: No."]


def test_it_does_not_say_it_after_silence_was_asked_for() -> None:
    scene = VoiceScene("ann", options=FILLING)
    scene.works("ann", 1.0, 20.0)
    scene.says("ann", "Stop.", 1.5)

    assert scene.run() == ["stop ann: stop word"]


def test_a_tone_tells_of_a_turn_but_not_again_when_it_goes_on() -> None:
    scene = VoiceScene("ann", options=TurnOptions(filler=False))
    scene.says("ann", "check the build", 1.0)
    scene.works("ann", 2.3, 20.0)
    scene.says("ann", "and the tests", 3.0)

    assert scene.run() == [
        "turn ann: check the build",
        "tone",
        "merged ann: check the build and the tests",
    ]


# --- Notices. ---
def test_a_notice_is_called_at_once_when_all_is_quiet() -> None:
    scene = VoiceScene("ann")
    scene.notices(1.0)
    scene.run(2.0)

    assert scene.when("announce") == 1.0


def test_a_notice_waits_until_nobody_has_talked_for_a_moment() -> None:
    scene = VoiceScene("ann", "bob")
    ended = scene.says("bob", "so how was your day", 1.0)
    scene.notices(1.5)
    scene.speaks("Heads up.", 4.0, kind=SpeechKind.NOTICE)
    scene.notices(4.0, wait=False)
    scene.run(20.0)

    assert scene.when("announce") == pytest.approx(ended + 0.8, abs=0.05)


def test_a_notice_waits_for_who_may_not_talk_too() -> None:
    scene = VoiceScene("ann", "bob", strangers=("bob",))
    ended = scene.says("bob", "so how was your day", 1.0)
    scene.notices(1.5)
    scene.run(4.0)

    assert scene.when("announce") == pytest.approx(ended + 0.8, abs=0.05)


def test_a_notice_waits_for_the_answer_and_its_speech() -> None:
    scene = VoiceScene("ann")
    scene.works("ann", 1.0, 6.0)
    scene.notices(1.5)
    scene.speaks("It is four.", 3.0, to="ann", seconds=2.0)
    scene.run(7.0)

    assert scene.when("announce") == 6.0


def test_a_notice_waits_for_a_turn_that_was_taken_just_now() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "what is the time", 1.0)
    scene.notices(2.4)
    scene.works("ann", 3.4, 10.0)
    scene.run(11.0)

    assert scene.when("announce") == 10.0


def test_a_notice_leaves_time_for_an_answer_to_a_question() -> None:
    scene = answered("ann", text="Shall I go on?")
    scene.notices(1.0)
    scene.run(7.0)

    assert scene.when("announce") == 6.0


def test_notices_are_called_again_if_none_was_spoken() -> None:
    scene = VoiceScene("ann")
    scene.notices(1.0)
    scene.notices(5.0, wait=False)

    assert scene.run(20.0) == ["announce", "announce"]


def test_a_notice_that_was_taken_back_is_not_called() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "what is the time", 1.0)
    scene.notices(1.5)
    scene.notices(2.0, wait=False)

    assert scene.run() == ["turn ann: what is the time"]


def test_a_notice_does_not_come_while_somebody_pauses() -> None:
    scene = VoiceScene("ann", "bob")
    scene.says("bob", "so how was | your day", 1.0, commit_after=0.9)
    scene.notices(1.2)
    scene.run(6.0)

    assert scene.when("announce") > 1.0 + 5 * 0.3 + 0.4 + 0.8
