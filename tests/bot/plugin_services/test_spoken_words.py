import pytest

from bot.plugin_services.spoken_words import (
    note_of,
    spoken_again,
    spoken_notification,
    spoken_question,
    understood,
)
from extensions.plugins.services import Confirm, Input, Notify, Select

SURE = Confirm(prompt="Sure?")
WHERE = Select(prompt="Where to", options=("Staging", "Production (EU)", "The third one"))
MANY = Select(prompt="Which?", options=tuple(f"Item {n}" for n in range(1, 13)))


@pytest.mark.parametrize(
    "said",
    ["Yes.", "yes please", "Yeah, go ahead.", "OK.", "No problem!", "Sure, do it.", "Ja, bitte."],
)
def test_these_mean_yes(said: str) -> None:
    assert understood(SURE, said) == "yes"


@pytest.mark.parametrize(
    "said",
    ["No.", "no, I want to keep it", "Don't!", "of course not", "cancel that", "Nein.", "not now"],
)
def test_these_mean_no(said: str) -> None:
    assert understood(SURE, said) == "no"


@pytest.mark.parametrize(
    "said",
    [
        "",
        "maybe",
        "yes but not now",
        "what is that?",
        "yes no",
        "I said yesterday",
        "yes if it works",
    ],
)
def test_what_could_mean_either_is_neither(said: str) -> None:
    assert understood(SURE, said) is None


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("Two.", "1"),
        ("number 2", "1"),
        ("the second one", "1"),
        ("Production.", "1"),
        ("deploy it to staging", "0"),
        ("the third one", "2"),
        ("none of them", "dismissed"),
        ("Never mind.", "dismissed"),
        ("four", None),
        ("not staging", None),
        ("what is staging?", None),
        ("I don't know", None),
        ("", None),
    ],
)
def test_a_choice_is_meant_by_its_number_or_its_name(said: str, value: str | None) -> None:
    assert understood(WHERE, said) == value


def test_a_name_that_is_meant_by_several_is_no_choice() -> None:
    assert understood(MANY, "item") is None
    assert understood(MANY, "item 12") == "11"
    assert understood(MANY, "Item one") is None
    assert understood(MANY, "twelve") is None
    assert understood(MANY, "12") == "11"


def test_words_are_not_taken_aloud() -> None:
    assert understood(Input(prompt="Name?"), "yes") is None


def test_how_it_is_asked_says_how_it_can_be_answered() -> None:
    assert spoken_question("permission-gate", SURE) == "permission gate asks: Sure? Yes or no?"
    assert spoken_question("todo", WHERE) == (
        "todo asks: Where to. 1: Staging. 2: Production (EU). 3: The third one."
    )
    assert spoken_question("todo", MANY) == (
        "todo asks: Which? There are 12 choices in the chat. Say the number, or the name."
    )
    assert spoken_again(WHERE).startswith("I did not get that.")


def test_of_what_is_too_long_to_be_spoken_it_is_said_that_there_is_more() -> None:
    assert spoken_question("gate", Confirm(prompt="x" * 300)).endswith("x. Yes or no?")
    spoken = spoken_question("gate", Confirm(prompt="x" * 301))
    assert spoken.endswith("x… There is more of it in the chat. Yes or no?")


def test_what_is_told_is_one_short_sentence_and_one_line_of_a_note() -> None:
    spoken = spoken_notification("todo", Notify(message="one\ntwo " + "x" * 1000))

    assert spoken.startswith("todo says: one two xxx")
    assert len(spoken) < 450
    assert (
        note_of('a "b" [c]\nd') == "[You have just said on the line, for a plugin: \"a 'b' (c) d\"]"
    )
