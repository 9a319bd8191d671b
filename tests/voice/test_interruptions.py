"""Talking into the bot's speech."""

import pytest

from tests.fakes.voice_scene import VoiceScene
from voice.commands import SpeechKind
from voice.events import EndReason, LineMode, LineState

LONG = "The capital of Australia is Canberra although many people think that it is Sydney."


def speaking(*people: str, to: str | None = "ann", mode: LineMode = LineMode.OPEN) -> VoiceScene:
    scene = VoiceScene(*(people or ("ann",)), mode=mode)
    scene.speaks(LONG, 0.0, to=to, seconds=20.0)
    return scene


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        # Who is answered says something.
        ("tell me about Perth", ["pause", "stop ann: content", "turn ann: tell me about Perth"]),
        ("but why", ["pause", "stop ann: content", "turn ann: but why"]),
        ("What?", ["pause", "stop ann: content", "turn ann: What?"]),
        # They want silence, and nothing else: that is no turn.
        ("Stop.", ["pause", "stop ann: stop word"]),
        ("Okay, stop.", ["pause", "stop ann: stop word"]),
        ("No no.", ["pause", "stop ann: stop word"]),
        ("Hold on a second.", ["pause", "stop ann: stop word"]),
        ("Be quiet, please.", ["pause", "stop ann: stop word"]),
        ("Papercup, stop.", ["pause", "stop ann: name"]),
        # They want it, and say something besides.
        (
            "Wait, what about Perth?",
            ["pause", "stop ann: stop word", "turn ann: Wait, what about Perth?"],
        ),
        (
            "No, I meant Austria.",
            ["pause", "stop ann: stop word", "turn ann: No, I meant Austria."],
        ),
        # They take back what they asked; a job is another matter, which the answer decides.
        ("Never mind.", ["pause", "stop ann: stop word", "cancel ann"]),
        ("Stop, cancel that please.", ["pause", "stop ann: stop word", "cancel ann"]),
        (
            "Forget it. Tell me a joke.",
            ["pause", "stop ann: stop word", "cancel ann", "turn ann: Forget it. Tell me a joke."],
        ),
        ("Cancel that job.", ["pause", "stop ann: stop word", "turn ann: Cancel that job."]),
        # They only listen.
        ("Yeah.", ["pause", "resume", "remark ann: Yeah."]),
        ("Mm-hmm.", ["pause", "resume"]),
        ("I see what you mean.", ["pause", "resume", "remark ann: I see what you mean."]),
        ("Okay, right.", ["pause", "resume", "remark ann: Okay, right."]),
        # A hum that was written down as some word, and nothing but looking for words.
        ("Madame.", ["pause", "resume"]),
        ("Um, so.", ["pause", "resume"]),
    ],
)
def test_words_decide_what_becomes_of_the_speech(said: str, expected: list[str]) -> None:
    scene = speaking()
    scene.says("ann", said, 2.0)

    assert scene.run(10.0) == expected


def test_a_fifth_of_a_second_of_voice_pauses_and_the_words_stop_soon_after() -> None:
    scene = speaking()
    scene.says("ann", "tell me about Perth", 2.0)
    scene.run(10.0)

    assert scene.when("pause") == pytest.approx(2.224)
    assert scene.when("listen") == pytest.approx(2.608)
    assert scene.when("stop") == pytest.approx(2.658)


def test_a_single_word_that_takes_its_time_is_an_interruption() -> None:
    scene = speaking()
    scene.says("ann", "Elephants.", 2.0, seconds=0.8)

    assert scene.run(10.0) == ["pause", "stop ann: content", "turn ann: Elephants."]


def test_a_click_or_a_cough_does_not_end_the_speech() -> None:
    scene = speaking()
    scene.says("ann", "x", 2.0, seconds=0.15, voice_only=True)
    scene.says("ann", "x", 5.0, seconds=0.4, voice_only=True, guesses=("",))

    assert scene.run(10.0) == ["pause", "resume"]
    assert scene.when("resume") == pytest.approx(5.61)


def test_without_words_the_speech_goes_on_after_a_while_even_if_the_voice_does() -> None:
    scene = speaking()
    scene.says("ann", "x " * 9, 2.0, seconds=5.0, voice_only=True, guesses=("",))

    assert scene.run(10.0) == ["pause", "resume"]
    assert scene.when("resume") == pytest.approx(scene.when("pause") + 1.2)


def test_words_that_come_late_still_end_a_speech_that_has_gone_on() -> None:
    scene = speaking()
    scene.says("ann", "tell me about Perth", 2.0, guesses=("",), written_after=2.0)

    assert scene.run(10.0)[-2:] == ["stop ann: content", "turn ann: tell me about Perth"]


def test_looking_for_words_is_waited_for() -> None:
    scene = speaking()
    scene.says("ann", "um | tell me about Perth", 2.0)

    assert scene.run(10.0) == ["pause", "stop ann: content", "turn ann: um tell me about Perth"]


def test_a_listening_sound_and_then_a_question_pauses_twice() -> None:
    scene = speaking()
    scene.says("ann", "yeah | but what about Perth", 2.0)

    assert scene.run(10.0) == [
        "pause",
        "resume",
        "pause",
        "stop ann: content",
        "turn ann: yeah but what about Perth",
    ]


def test_noises_again_and_again_do_not_make_the_speech_stutter() -> None:
    scene = speaking()
    for at in range(1, 8):
        scene.says("ann", "x", float(at), seconds=0.3, voice_only=True, guesses=("",))
    scene.says("ann", "tell me about Perth", 9.0)

    assert scene.run(15.0) == [
        *["pause", "resume"] * 2,
        "stop ann: content",
        "turn ann: tell me about Perth",
    ]


# --- Several people. ---


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("so how was your day", ["pause", "resume", "remark bob: so how was your day"]),
        ("Wait, Ann, did you see that?", ["pause", "resume"]),
        ("No, it was Tuesday.", ["pause", "resume", "remark bob: No, it was Tuesday."]),
        ("No.", ["pause", "resume", "remark bob: No."]),
        ("Stop.", ["pause", "stop bob: stop word"]),
        ("Papercup what about Perth", ["pause", "stop bob: name"]),
        ("Paper cup, enough.", ["pause", "stop bob: name"]),
        ("Never mind.", ["pause", "stop bob: stop word", "cancel bob"]),
    ],
)
def test_who_is_not_answered_ends_a_speech_by_the_name_or_a_stop_word_alone(
    said: str, expected: list[str]
) -> None:
    scene = speaking("ann", "bob")
    scene.says("bob", said, 2.0)

    assert scene.run(10.0)[: len(expected)] == expected


def test_who_talks_on_to_others_does_not_make_the_speech_stutter() -> None:
    scene = speaking("ann", "bob")
    scene.says("bob", "so how was your day I went to the sea", 2.0)

    assert scene.run(10.0) == [
        "pause",
        "resume",
        "remark bob: so how was your day I went to the sea",
    ]


def test_the_name_late_in_what_somebody_says_still_ends_the_speech() -> None:
    scene = speaking("ann", "bob")
    scene.says("bob", "so what do we do with all of this now Papercup tell us", 2.0)
    decided = scene.run(10.0)

    assert decided[:3] == ["pause", "resume", "stop bob: name"]
    assert scene.when("stop") < 2.0 + 13 * 0.3


def test_who_is_answered_may_talk_to_somebody_else() -> None:
    scene = speaking("ann", "bob")
    scene.says("ann", "Bob, come and look at this.", 2.0, guesses=("Bob,",))

    assert "stop ann: content" not in scene.run(10.0)


def test_two_people_at_once_pause_the_speech_once() -> None:
    scene = speaking("ann", "bob")
    scene.says("ann", "yeah", 2.0)
    scene.says("bob", "right", 2.1)

    assert scene.run(10.0) == ["pause", "remark ann: yeah", "resume", "remark bob: right"]


def test_the_speech_goes_on_only_when_nobody_is_waited_for() -> None:
    scene = speaking("ann", "bob")
    scene.says("bob", "hm", 2.0)
    scene.says("ann", "um well | um", 2.1)
    scene.run(10.0)

    assert scene.when("resume") > 2.1 + 0.9 + 0.4


def test_two_people_at_once_one_of_whom_ends_the_speech() -> None:
    scene = speaking("ann", "bob")
    scene.says("bob", "so how was your day", 2.0)
    scene.says("ann", "tell me about Perth", 2.1)

    assert scene.run(10.0) == [
        "pause",
        "stop ann: content",
        "turn ann: tell me about Perth",
        "remark bob: so how was your day",
    ]


def test_a_speech_is_ended_once_even_if_both_want_it() -> None:
    scene = speaking("ann", "bob")
    scene.says("ann", "stop", 2.0)
    scene.says("bob", "stop", 2.05)

    assert [said for said in scene.run(10.0) if said.startswith("stop")] == ["stop ann: stop word"]


def test_who_may_not_talk_neither_pauses_nor_ends_a_speech() -> None:
    scene = VoiceScene("ann", "bob", strangers=("bob",))
    scene.speaks(LONG, 0.0, to="ann", seconds=20.0)
    scene.says("bob", "stop", 2.0)
    scene.says("bob", "Papercup stop talking now", 4.0)

    assert scene.run(10.0) == []


# --- Other turns of events. ---


def test_a_speech_that_begins_while_somebody_talks_is_paused_at_once() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "and then there is also the question of Perth", 1.0)
    scene.speaks(LONG, 2.0, to="ann", seconds=5.0)

    assert scene.run(10.0)[:2] == ["pause", "stop ann: content"]
    assert scene.when("pause") == 2.0


def test_a_speech_that_begins_in_a_pause_waits_if_they_go_on() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "I wonder about | the question of Perth", 1.0)
    scene.speaks(LONG, 2.1, to="ann", seconds=5.0)
    scene.run(10.0)

    assert scene.when("pause") == pytest.approx(2.3 + 2 * 0.032)


def test_an_interrupted_speech_that_a_command_ends_is_not_left_paused() -> None:
    scene = speaking()
    scene.says("ann", "um so well", 2.0)
    scene.cuts_speech(2.5)
    scene.speaks("Something else is said now.", 8.0, to="ann")

    assert scene.run(12.0) == ["pause", "resume"]


def test_a_guess_for_a_speech_that_has_ended_does_nothing() -> None:
    scene = VoiceScene("ann")
    scene.speaks("So it is.", 0.0, to="ann", seconds=2.0)
    scene.says("ann", "tell me about Perth", 1.95)

    assert scene.run(10.0) == ["turn ann: tell me about Perth"]


def test_a_stale_guess_is_not_taken_for_what_is_being_said() -> None:
    scene = speaking()
    scene.says("ann", "yeah", 2.0, seconds=0.25)
    scene.at(2.1, scene.guesses("ann", "stop talking about Sydney", 2.0))

    assert scene.run(10.0) == ["pause", "resume", "remark ann: yeah"]


def test_somebody_who_leaves_in_the_midst_lets_the_speech_go_on() -> None:
    scene = speaking("ann", "bob")
    scene.says("bob", "um so well and then", 2.0, reason=EndReason.LEFT)
    scene.leaves("bob", 2.5)

    assert scene.run(10.0) == ["pause", "resume", "remark bob: um so well and then"]
    assert scene.when("resume") == 2.5


def test_somebody_who_may_not_talk_any_more_lets_the_speech_go_on() -> None:
    scene = speaking("ann", "bob")
    scene.says("bob", "um so well and then", 2.0)
    scene.forbids("bob", 2.5)

    assert scene.run(10.0) == ["pause", "resume"]


def test_an_ear_that_fails_does_not_keep_the_speech_paused() -> None:
    scene = speaking()
    scene.says("ann", "um so well", 2.0, commit_after=1000.0, guesses=("",))

    assert scene.run(50.0) == ["pause", "resume"]
    assert scene.turns.state == (LineState.LISTENING, None)


def test_whoever_has_pressed_the_button_ends_the_speech_by_anything() -> None:
    scene = speaking("ann", "bob", mode=LineMode.PUSH)
    scene.says("ann", "tell me about Perth", 2.0)
    scene.pushes("bob", 5.0)
    scene.says("bob", "tell me about Perth", 5.5)

    assert scene.run(10.0) == [
        "pause",
        "resume",
        "remark ann: tell me about Perth",
        "pause",
        "stop bob: content",
        "turn bob: tell me about Perth",
    ]


def test_a_notice_that_begins_while_somebody_begins_to_talk_waits_for_them() -> None:
    scene = VoiceScene("ann", "bob")
    scene.says("ann", "hm", 1.0, seconds=0.3)
    scene.speaks("Heads up.", 1.1, kind=SpeechKind.NOTICE, seconds=2.0)

    assert scene.run(10.0) == ["pause", "resume"]
    assert scene.when("pause") == 1.1
