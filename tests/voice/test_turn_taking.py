"""Who is addressed, who may not talk, and what the line shows."""

import pytest

from tests.fakes.voice_scene import IDS, VoiceScene
from voice.commands import TakeTurn
from voice.events import EndReason, LineMode, LineState, Remark, SpokenTurn
from voice.turn_options import TurnOptions


def turns_of(scene: VoiceScene) -> list[SpokenTurn]:
    return [command.turn for _, command in scene.log if isinstance(command, TakeTurn)]


# --- Who is addressed. ---
def test_who_is_alone_with_it_always_talks_to_it() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "what is the time", 1.0)

    assert scene.run() == ["turn ann: what is the time"]


@pytest.mark.parametrize(
    ("said", "decided"),
    [
        ("what is the time", "remark"),
        ("Papercup, what is the time?", "turn"),
        ("What is the time, paper cup?", "turn"),
        ("Paperkup what is the time", "turn"),
        ("where is the paper", "remark"),
        ("the super cub is here", "remark"),
        ("Papercup.", "turn"),
    ],
)
def test_among_several_it_answers_to_its_name(said: str, decided: str) -> None:
    scene = VoiceScene("ann", "bob")
    scene.says("ann", said, 1.0)

    assert scene.run() == [f"{decided} ann: {said}"]


def answered(*people: str, text: str = "It is four.", mode: LineMode = LineMode.OPEN) -> VoiceScene:
    """Return a line on which Ann was answered from 0 s to 2 s."""
    scene = VoiceScene(*people, mode=mode)
    scene.speaks(text, 0.0, to="ann", seconds=2.0)
    return scene


@pytest.mark.parametrize(
    ("who", "said", "at", "decided"),
    [
        ("ann", "and in London", 13.9, "turn"),
        ("ann", "and in London", 14.1, "remark"),
        ("bob", "and in London", 4.0, "remark"),
        ("ann", "Bob, did you know that?", 4.0, "remark"),
        ("ann", "Hey Bob! Did you know that?", 4.0, "remark"),
        ("ann", "Bob did not know that.", 4.0, "turn"),
    ],
)
def test_among_several_who_was_answered_needs_no_name_for_a_while(
    who: str, said: str, at: float, decided: str
) -> None:
    scene = answered("ann", "bob")
    scene.says(who, said, at)

    assert scene.run() == [f"{decided} {who}: {said}"]


def test_its_question_may_be_answered_by_anybody_once() -> None:
    scene = answered("ann", "bob", "cat", text="Shall I use Postgres?")
    scene.says("bob", "Yes, do that.", 4.0)
    scene.says("cat", "I like Postgres.", 6.0)

    assert scene.run() == ["turn bob: Yes, do that.", "remark cat: I like Postgres."]


def test_its_question_is_forgotten_after_a_while() -> None:
    scene = answered("ann", "bob", text="Shall I use Postgres?")
    scene.says("bob", "Yes, do that.", 10.5)

    assert scene.run() == ["remark bob: Yes, do that."]


def test_while_it_thinks_somebody_may_add_to_what_they_asked() -> None:
    scene = VoiceScene("ann", "bob")
    scene.says("ann", "Papercup check the build", 1.0)
    scene.works("ann", 2.6, 30.0)
    scene.says("ann", "and the tests", 4.5)
    scene.says("ann", "how was your day", 12.0)

    assert scene.run() == [
        "turn ann: Papercup check the build",
        "turn ann: and the tests",
        "remark ann: how was your day",
    ]


def test_in_name_mode_it_wants_its_name_from_who_is_alone_too() -> None:
    scene = VoiceScene("ann", mode=LineMode.NAME)
    scene.says("ann", "where did I put it", 1.0)
    scene.says("ann", "Papercup, where did I put it?", 5.0)

    assert scene.run() == [
        "remark ann: where did I put it",
        "turn ann: Papercup, where did I put it?",
    ]


def test_in_push_mode_it_listens_to_whoever_has_pressed_the_button() -> None:
    scene = VoiceScene("ann", "bob", mode=LineMode.PUSH)
    scene.says("ann", "Papercup, one", 1.0)
    scene.pushes("ann", 4.0)
    scene.says("bob", "two", 4.5)
    scene.says("ann", "three", 6.0)
    scene.says("ann", "four", 8.2)
    scene.says("ann", "five", 14.0)

    assert scene.run() == [
        "remark ann: Papercup, one",
        "remark bob: two",
        "turn ann: three",
        "turn ann: four",
        "remark ann: five",
    ]


def test_the_button_counts_for_what_is_being_said_and_for_a_while() -> None:
    scene = VoiceScene("ann", "bob", mode=LineMode.PUSH)
    scene.says("ann", "one two three", 1.0)
    scene.pushes("ann", 1.5)
    scene.pushes("bob", 4.0)
    scene.says("bob", "too late", 12.5)

    assert scene.run() == ["turn ann: one two three", "remark bob: too late"]


def test_a_change_of_the_mode_counts_for_what_is_being_said() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "one two three", 1.0)
    scene.mode(LineMode.NAME, 1.5)
    scene.says("ann", "four five six", 5.0)
    scene.mode(LineMode.OPEN, 5.5)

    assert scene.run() == ["remark ann: one two three", "turn ann: four five six"]


def test_who_was_alone_is_not_once_somebody_has_joined() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "what is the time", 1.0)
    scene.joins("bob", 1.5)

    assert scene.run() == ["remark ann: what is the time"]


# --- Who may not talk to it. ---
def test_who_may_not_talk_starts_nothing_and_is_not_reported() -> None:
    scene = VoiceScene("ann", "bob", strangers=("bob",))
    scene.says("bob", "Papercup, delete all", 1.0)

    assert scene.run() == []
    assert scene.state_at(1.5) == (LineState.LISTENING, None)


def test_what_they_say_is_marked_if_it_is_wanted_at_all() -> None:
    options = TurnOptions(transcribe_others=True, tone=False)
    scene = VoiceScene("ann", "bob", strangers=("bob",), options=options)
    scene.says("bob", "Papercup, delete all", 1.0)
    scene.says("ann", "Papercup, what did he say?", 4.0)

    assert scene.run() == [
        "stranger bob: Papercup, delete all",
        "turn ann: Papercup, what did he say?",
    ]
    remark = Remark(person_id=IDS["bob"], text="Papercup, delete all", at=1.0, is_of_other=True)
    assert turns_of(scene)[0].overheard == (remark,)


def test_it_is_asked_afresh_who_may_talk() -> None:
    scene = VoiceScene("ann", "bob")
    scene.says("bob", "Papercup, delete all", 1.0)
    scene.forbids("bob", 2.0)

    assert scene.run() == []


def test_somebody_who_has_left_is_only_reported() -> None:
    scene = VoiceScene("ann", "bob")
    scene.says("bob", "Papercup, good bye", 1.0, reason=EndReason.LEFT)
    scene.leaves("bob", 1.5)

    assert scene.run() == ["remark bob: Papercup, good bye"]


def test_somebody_who_was_never_there_is_not_heard() -> None:
    scene = VoiceScene("ann")
    scene.says("dan", "Papercup, hello", 1.0)

    assert scene.run() == []


# --- What was overheard. ---
def test_a_turn_tells_what_was_said_before_in_order_of_speaking() -> None:
    scene = VoiceScene("ann", "bob", "cat")
    scene.says("bob", "a long story about the sea and all that", 1.0)
    scene.says("cat", "no way", 1.5)
    scene.says("ann", "Papercup, is that so?", 6.0)
    scene.says("ann", "Papercup, and now?", 12.0)
    scene.run()
    first, second = turns_of(scene)

    assert [remark.text for remark in first.overheard] == [
        "a long story about the sea and all that",
        "no way",
    ]
    assert second.overheard == ()


def test_only_so_many_remarks_are_kept() -> None:
    scene = VoiceScene("ann", "bob")
    for number in range(70):
        scene.says("bob", f"story number {number}", 1.0 + 2 * number)
    scene.says("ann", "Papercup, is that so?", 150.0)
    scene.run(160.0)

    overheard = turns_of(scene)[0].overheard
    assert len(overheard) == 60
    assert overheard[-1].text == "story number 69"


# --- What the line shows. ---
def test_its_state_tells_what_it_does() -> None:
    scene = VoiceScene("ann", "bob")
    scene.says("ann", "Papercup what is the time", 1.0)
    scene.works("ann", 2.9, 10.0)
    scene.speaks("It is four.", 4.0, to="ann", seconds=4.0)
    scene.says("ann", "yeah", 5.0)
    scene.run()

    assert [scene.state_at(at) for at in (0.5, 1.5, 3.0, 4.5, 5.25, 7.0, 9.5, 11.0)] == [
        (LineState.LISTENING, None),
        (LineState.HEARING, IDS["ann"]),
        (LineState.THINKING, None),
        (LineState.SPEAKING, None),
        (LineState.HEARING, IDS["ann"]),
        (LineState.SPEAKING, None),
        (LineState.THINKING, None),
        (LineState.LISTENING, None),
    ]


def test_nothing_has_to_be_done_at_a_time_when_nothing_goes_on() -> None:
    scene = VoiceScene("ann")
    scene.says("ann", "what is the time", 1.0)
    scene.works("ann", 2.9, 10.0)
    scene.speaks("It is four.", 4.0, to="ann")
    scene.run()

    assert scene.turns.next_at is None
