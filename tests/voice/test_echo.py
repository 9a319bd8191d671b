"""The bot's own voice, that comes back from somebody's speakers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.voice_scene import VoiceScene
from voice.echo import edits, is_echo
from voice.events import LineMode

LONG = "The capital of Australia is Canberra although many people think that it is Sydney."


def speaking(*people: str, to: str | None = "ann", mode: LineMode = LineMode.OPEN) -> VoiceScene:
    scene = VoiceScene(*(people or ("ann",)), mode=mode)
    scene.speaks(LONG, 0.0, to=to, seconds=20.0)
    return scene


def test_the_bots_own_words_never_interrupt_it() -> None:
    scene = speaking()
    scene.says("ann", "of Australia", 1.0, seconds=0.5)

    assert scene.run(10.0) == ["pause", "resume"]


def test_its_words_are_known_that_come_back_late() -> None:
    scene = speaking()
    # They began 0.45 s before, and it is paused at 1.2 s.
    scene.says("ann", "the capital of Australia", 1.0, seconds=0.75)

    assert scene.run(10.0) == ["pause", "resume"]


def test_who_has_its_voice_on_speakers_pauses_it_twice_and_not_again() -> None:
    scene = speaking()
    for at in (1.0, 3.0, 5.0, 7.0):
        scene.says("ann", "the capital of Australia", at, seconds=0.7)
    scene.says("ann", "although many people think that it is", 9.0)

    assert scene.run(15.0) == ["pause", "resume", "pause", "resume"]


@pytest.mark.parametrize("said", ["Papercup be quiet", "Stop!"])
def test_they_still_end_it_by_its_name_or_a_stop_word(said: str) -> None:
    scene = speaking()
    for at in (1.0, 3.0):
        scene.says("ann", "the capital of Australia", at, seconds=0.7)
    scene.says("ann", said, 9.0)

    assert scene.run(15.0)[4].startswith("stop ann")


def test_who_answers_with_the_bots_words_after_its_question_is_heard() -> None:
    scene = VoiceScene("ann")
    scene.speaks("Do you want the red one or the blue one?", 0.0, to="ann", seconds=3.0)
    scene.says("ann", "The blue one.", 3.05)

    assert scene.run(10.0) == ["turn ann: The blue one."]


def test_who_repeats_the_bots_words_to_ask_about_them_is_heard() -> None:
    scene = speaking()
    scene.says("ann", "the capital of Australia is what exactly now", 2.0)

    assert scene.run(10.0)[-2:] == [
        "stop ann: content",
        "turn ann: the capital of Australia is what exactly now",
    ]


def test_a_short_question_about_the_bots_words_is_heard() -> None:
    scene = speaking()
    scene.says("ann", "Canberra although what", 2.0)

    assert scene.run(10.0) == ["pause", "stop ann: content", "turn ann: Canberra although what"]


def test_who_answers_into_the_end_of_a_question_with_its_words_is_heard() -> None:
    scene = VoiceScene("ann")
    scene.speaks("Do you want the red one or the blue one?", 0.0, to="ann", seconds=3.0)
    scene.says("ann", "The blue one.", 2.9)

    assert scene.run(10.0) == ["turn ann: The blue one."]


def test_an_echo_that_ends_after_the_speech_is_dropped() -> None:
    scene = VoiceScene("ann")
    scene.speaks(LONG, 0.0, to="ann", seconds=4.0)
    scene.says("ann", "it is Sydney", 3.85, seconds=0.5)

    assert scene.run(10.0) == []


def test_a_stop_word_is_obeyed_though_the_bot_has_just_said_it() -> None:
    scene = VoiceScene("ann")
    scene.speaks("You can say stop at any time and I will stop.", 0.0, to="ann", seconds=9.0)
    scene.says("ann", "Stop!", 2.0)

    assert scene.run(10.0) == ["pause", "stop ann: stop word"]


@pytest.mark.parametrize(
    ("heard", "spoken"),
    [
        ("And already.", "That is done already. I will tell you when the second half is there."),
        ("The bill failed.", "The build failed because a package could not be found."),
        ("Porter passed for in Tokyo.", "It is a quarter past four in Tokyo."),
        ("Let me move the old setting.", "It is so since somebody moved the old settings."),
        ("Birth knowing.", "There are two things worth knowing."),
    ],
)
def test_the_bots_words_are_known_though_they_were_misheard(heard: str, spoken: str) -> None:
    assert is_echo(heard, spoken)


@pytest.mark.parametrize(
    "heard",
    [
        "No, wait, I meant tomorrow.",
        "What about Berlin?",
        "Can you do it again, please?",
        "That's wrong.",
        "How much does it cost?",
        "Make it blue instead.",
    ],
)
def test_what_people_say_into_an_answer_is_theirs(heard: str) -> None:
    assert not is_echo(heard, LONG)
    assert not is_echo(heard, "The build failed because a package could not be found.")


def test_who_is_known_to_send_the_bots_voice_back_is_believed_less() -> None:
    scene = VoiceScene("ann")
    scene.speaks("The largest one belongs to a customer in Norway.", 0.0, to="ann", seconds=9.0)
    scene.says("ann", "One tool.", 1.0, seconds=0.7)
    assert scene.run(12.0)[:2] == ["pause", "stop ann: content"]

    scene = VoiceScene("ann")
    scene.speaks("The largest one belongs to a customer in Norway.", 0.0, to="ann", seconds=9.0)
    scene.says("ann", "The largest.", 1.0, seconds=0.5)
    scene.says("ann", "One tool.", 4.0, seconds=0.7)
    assert scene.run(12.0) == ["pause", "resume", "pause", "resume"]


@given(st.text("abc", max_size=12), st.text("abc", max_size=20))
def test_the_letters_to_change_are_as_many_as_a_table_of_distances_tells(
    wanted: str, text: str
) -> None:
    row = [0] * (len(text) + 1)
    for number, letter in enumerate(wanted, start=1):
        above, row = row, [number]
        for at, other in enumerate(text, start=1):
            row.append(min(above[at] + 1, row[-1] + 1, above[at - 1] + (letter != other)))
    assert edits(wanted, text) == min(row)
