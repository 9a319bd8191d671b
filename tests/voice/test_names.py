"""Names in transcripts."""

import pytest

from voice.names import calls_other, name_length
from voice.words import tokens_of

NAMES = ("Papercup", "Paper cup")


def says_name(text: str, names: tuple[str, ...]) -> bool:
    tokens = tokens_of(text)
    return any(name_length(tokens, at, names) for at in range(len(tokens)))


@pytest.mark.parametrize(
    "said",
    [
        "Papercup, what time is it?",
        "Hey paper cup.",
        "what do you think, Papercub",
        "PAPERCUPS!",
        "Pepper cup, hello",
    ],
)
def test_a_name_is_found_though_it_is_misspelled(said: str) -> None:
    assert says_name(said, NAMES)


@pytest.mark.parametrize("said", ["the paper", "a cup of tea", "papers, please", "", "supper"])
def test_other_words_are_not_the_name(said: str) -> None:
    assert not says_name(said, NAMES)


def test_each_bot_has_its_own_names() -> None:
    assert says_name("Jervis, hello", ("Jarvis",))
    assert says_name("ねえノバ", ("ねえノバ",))
    assert not says_name("no over there", ("Nova",))
    assert not says_name("anything", ())


@pytest.mark.parametrize(
    "said", ["Bob, look.", "Hey Bob! Look.", "Look at this, Bob.", "Bob?", "Okay Bob, so?"]
)
def test_somebody_is_called_by_a_name_that_stands_alone(said: str) -> None:
    assert calls_other(said, ("Ann", "Bob Smith"))


@pytest.mark.parametrize("said", ["Bob has seen it.", "I told Bob so.", "Hey, look."])
def test_to_talk_about_somebody_is_not_to_call_them(said: str) -> None:
    assert not calls_other(said, ("Ann", "Bob Smith", "\U0001f600"))
