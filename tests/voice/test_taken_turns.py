"""What belongs to one turn, and what takes it back."""

import pytest

from tests.fakes.voice_scene import VoiceScene
from voice.commands import TakeTurn
from voice.events import EndReason, LineMode, LineState, SpokenTurn


def turns_of(scene: VoiceScene) -> list[SpokenTurn]:
    return [command.turn for _, command in scene.log if isinstance(command, TakeTurn)]


def answered(*people: str, text: str = "It is four.", mode: LineMode = LineMode.OPEN) -> VoiceScene:
    """Return a line on which Ann was answered from 0 s to 2 s."""
    scene = VoiceScene(*people, mode=mode)
    scene.speaks(text, 0.0, to="ann", seconds=2.0)
    return scene


# --- What belongs together. ---
def test_who_goes_on_soon_after_is_answered_once() -> None:
    scene = VoiceScene("ann", "bob")
    scene.says("bob", "what a day", 0.0)
    scene.says("ann", "Papercup check the build", 2.0)
    scene.works("ann", 3.6, 20.0)
    scene.says("ann", "and the tests", 4.4)
    decided = scene.run()

    assert decided == [
        "remark bob: what a day",
        "turn ann: Papercup check the build",
        "merged ann: Papercup check the build and the tests",
    ]
    merged = turns_of(scene)[1]
    assert merged.utterance.began_at == 4.4
    assert [remark.text for remark in merged.overheard] == ["what a day"]


def test_who_goes_on_twice_is_still_answered_once() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "check the build", 1.0)
    scene.works("ann", 2.3, 20.0)
    scene.says("ann", "and the tests", 3.0)
    scene.says("ann", "and the docs", 5.0)

    assert scene.run() == [
        "turn ann: check the build",
        "merged ann: check the build and the tests",
        "merged ann: check the build and the tests and the docs",
    ]


def test_who_goes_on_later_has_another_turn() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "check the build", 1.0)
    scene.works("ann", 2.3, 20.0)
    scene.says("ann", "and the tests", 3.5)

    assert scene.run() == ["turn ann: check the build", "turn ann: and the tests"]


def test_who_goes_on_while_the_answer_begins_ends_it_and_is_answered_once() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "check the build", 1.0)
    scene.works("ann", 2.3, 20.0)
    scene.says("ann", "and the tests", 2.9)
    scene.speaks("The build is fine.", 3.2, to="ann", seconds=5.0)

    assert scene.run() == [
        "turn ann: check the build",
        "pause",
        "stop ann: content",
        "merged ann: check the build and the tests",
    ]


def test_after_some_of_the_answer_was_heard_it_is_another_turn() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "check the build", 1.0)
    scene.works("ann", 2.3, 20.0)
    scene.speaks("The build is fine.", 2.4, to="ann", seconds=5.0)
    scene.says("ann", "and the tests", 3.2)

    assert scene.run()[-1] == "turn ann: and the tests"


def test_after_an_answer_without_words_it_is_another_turn() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "check the build", 1.0)
    scene.works("ann", 2.3, 2.6)
    scene.says("ann", "and the tests", 3.0)

    assert scene.run() == ["turn ann: check the build", "turn ann: and the tests"]


def test_two_people_do_not_belong_together() -> None:
    scene = VoiceScene("ann", "bob")
    scene.says("ann", "Papercup check the build", 1.0)
    scene.says("bob", "Papercup check the tests", 1.2)

    assert scene.run() == [
        "turn ann: Papercup check the build",
        "turn bob: Papercup check the tests",
    ]


def test_who_turns_to_somebody_else_does_not_go_on() -> None:
    scene = VoiceScene("ann", "bob")
    scene.says("ann", "Papercup check the build", 1.0)
    scene.says("ann", "Bob, how are you?", 2.8)

    assert scene.run() == [
        "turn ann: Papercup check the build",
        "remark ann: Bob, how are you?",
    ]


def test_what_was_cut_as_too_long_is_answered_with_its_end() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "the long beginning", 1.0, commit_after=0.0, reason=EndReason.TOO_LONG)
    scene.says("ann", "and the end", 1.95)

    assert scene.run() == ["turn ann: the long beginning and the end"]


def test_what_was_cut_and_has_no_end_is_answered_after_a_moment() -> None:
    scene = VoiceScene("ann")
    ended = scene.says("ann", "the long one", 1.0, commit_after=0.0, reason=EndReason.TOO_LONG)
    scene.says("ann", "x", 2.0, seconds=0.1, voice_only=True)

    assert scene.run() == ["turn ann: the long one"]
    assert scene.when("turn") == pytest.approx(ended + 1.2)


def test_who_talks_for_minutes_is_answered_in_between() -> None:
    scene = VoiceScene("ann")
    for number in range(6):
        scene.says(
            "ann",
            f"part {number}",
            number * 15.0,
            seconds=15.0,
            commit_after=0.0,
            reason=EndReason.TOO_LONG,
        )

    assert scene.run(120.0) == [
        "turn ann: part 0 part 1 part 2 part 3",
        "merged ann: part 0 part 1 part 2 part 3 part 4 part 5",
    ]


def test_who_talks_again_before_the_words_are_known_is_answered_once() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "check the build", 1.0, written_after=1.0)
    scene.says("ann", "and the tests", 2.6)

    assert scene.run() == ["turn ann: check the build and the tests"]


def test_who_leaves_while_it_waits_for_their_end_is_only_reported() -> None:
    scene = VoiceScene("ann", "bob")
    scene.says("ann", "Papercup the long one", 1.0, commit_after=0.0, reason=EndReason.TOO_LONG)
    scene.leaves("ann", 2.5)

    assert scene.run() == ["remark ann: Papercup the long one"]


# --- While it thinks. ---
@pytest.mark.parametrize(
    ("said", "decided"),
    [
        ("Never mind.", ["cancel ann"]),
        ("Papercup, forget it please.", ["cancel ann"]),
        ("Stop.", ["stop ann: stop word"]),
        ("Wait a second.", ["stop ann: stop word"]),
        ("Never mind. Tell me a joke.", ["cancel ann", "turn ann: Never mind. Tell me a joke."]),
        ("Cancel that job.", ["turn ann: Cancel that job."]),
        ("Okay.", ["remark ann: Okay."]),
        ("Hmm.", []),
        ("Tell me a joke.", ["turn ann: Tell me a joke."]),
    ],
)
def test_while_it_thinks_words_may_take_back_what_was_asked(said: str, decided: list[str]) -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "check the build", 1.0)
    scene.works("ann", 2.3, 20.0)
    scene.says("ann", said, 4.0)

    assert scene.run()[1:] == decided


def test_what_was_asked_is_taken_back_at_once() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "check the build", 1.0)
    scene.works("ann", 2.3, 20.0)
    scene.says("ann", "Never mind.", 2.5)

    assert scene.run() == ["turn ann: check the build", "cancel ann"]


@pytest.mark.parametrize(
    ("said", "decided"),
    [
        ("Never mind.", "remark bob: Never mind."),
        ("Wait.", "remark bob: Wait."),
        ("Papercup, never mind.", "cancel bob"),
        ("Papercup, stop!", "stop bob: stop word"),
    ],
)
def test_among_several_only_who_asked_takes_it_back_without_the_name(
    said: str, decided: str
) -> None:
    scene = VoiceScene("ann", "bob")
    scene.works("ann", 1.0, 20.0)
    scene.says("bob", said, 4.0)

    assert scene.run() == [decided]


@pytest.mark.parametrize(
    ("said", "decided"),
    [
        ("Stop.", []),
        ("Wait a second.", []),
        ("No.", ["turn ann: No."]),
        ("Cancel that.", ["turn ann: Cancel that."]),
        ("Okay.", ["turn ann: Okay."]),
        ("Mm-hmm.", []),
        ("Thank you.", ["turn ann: Thank you."]),
    ],
)
def test_when_nothing_goes_on_a_stop_word_starts_nothing(said: str, decided: list[str]) -> None:
    scene = VoiceScene("ann")
    scene.says("ann", said, 1.0)

    assert scene.run() == decided


def test_a_hum_answers_a_question() -> None:
    scene = answered("ann", text="Shall I go on?")
    scene.says("ann", "Mm-hmm.", 3.0)

    assert scene.run() == ["turn ann: Mm-hmm."]


def test_an_answer_is_not_spoken_if_silence_was_asked_for_before_it_began() -> None:
    scene = VoiceScene("ann")
    scene.works("ann", 1.0, 9.0)
    scene.says("ann", "Stop.", 3.0)
    scene.speaks("It is four.", 6.0, to="ann", seconds=3.0)
    scene.works("ann", 10.0, 19.0)
    scene.speaks("It is five.", 12.0, to="ann", seconds=3.0)

    assert scene.run() == ["stop ann: stop word", "stop ann: stop word"]
    assert scene.state_at(13.0) == (LineState.SPEAKING, None)
