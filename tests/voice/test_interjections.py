"""What a few words mean by themselves."""

import pytest

from voice.echo import is_echo, similarity
from voice.interjections import Interjection, read_interjection

NAMES = ("Papercup",)


def kind_of(words: Interjection) -> str:
    kinds = {
        "command": words.is_command,
        "only no": words.is_only_no,
        "hum": words.is_hum,
        "backchannel": words.is_backchannel,
        "asks": words.asks,
    }
    return next((kind for kind, holds in kinds.items() if holds), "content")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Stop.", "command"),
        ("Okay, stop it please.", "command"),
        ("Papercup, be quiet.", "command"),
        ("Wait, wait.", "command"),
        ("no no stop", "command"),
        ("That's enough, thanks.", "command"),
        ("Just a second.", "command"),
        ("Actually, never mind.", "command"),
        ("Cancel that, please.", "command"),
        ("Warte mal.", "command"),
        ("待って。", "command"),
        ("Don\u2019t bother", "command"),
        ("No.", "only no"),
        ("No, no, no.", "only no"),
        ("Yeah.", "backchannel"),
        ("Uh-huh, right.", "backchannel"),
        ("Oh, I see.", "backchannel"),
        ("Thank you so much!", "backchannel"),
        ("はい。", "backchannel"),
        ("Mm-hmm.", "hum"),
        ("um", "hum"),
        ("Haha.", "hum"),
        ("Why?", "asks"),
        ("yeah but why", "asks"),
        ("What about Perth?", "asks"),
        ("Stop the server.", "content"),
        ("Cancel that job.", "content"),
        ("No, the other one.", "content"),
        ("It did not stop.", "content"),
        ("Yeah, tell me more.", "content"),
        ("Madame.", "content"),
        ("昨日の天気を教えて", "content"),
        ("", "content"),
    ],
)
def test_words_are_known_by_their_phrases(said: str, kind: str) -> None:
    assert kind_of(read_interjection(said, NAMES)) == kind


def test_words_that_say_something_are_counted() -> None:
    counts = {
        said: read_interjection(said, NAMES).content_words
        for said in ("the dog", "yeah the big dog", "Papercup um dogs", "天気", "昨日の天気を")
    }

    assert counts == {
        "the dog": 1,
        "yeah the big dog": 2,
        "Papercup um dogs": 1,
        "天気": 1,
        "昨日の天気を": 3,
    }


def test_a_stop_word_and_more_is_both() -> None:
    words = read_interjection("Wait, what about Perth?", NAMES)

    assert (words.is_stop, words.asks, words.is_command) == (True, True, False)


def test_the_beginning_of_a_phrase_says_nothing_yet() -> None:
    assert read_interjection("I see what", NAMES, is_unfinished=True).content_words == 0
    assert not read_interjection("I see what", NAMES, is_unfinished=True).asks
    assert read_interjection("I see what", NAMES).asks


# --- How alike words are. -----------------------------------------------------------------------

SPOKEN = "The capital of Australia is Canberra, although many people think that it is Sydney."


@pytest.mark.parametrize(
    "heard",
    [
        "capital of Australia is Canberra",
        "of Astralia is Canberra although",
        "many people think",
        "Sydney",
        "that it",
    ],
)
def test_what_the_bot_has_said_is_like_it(heard: str) -> None:
    assert is_echo(heard, SPOKEN)


@pytest.mark.parametrize(
    "heard",
    [
        "is it going to rain tomorrow",
        "tell me about the people",
        "it no",
        "stop",
        "",
        "What is it?",
    ],
)
def test_what_people_say_is_not(heard: str) -> None:
    assert not is_echo(heard, SPOKEN)


def test_characters_are_compared_where_words_have_no_spaces() -> None:
    assert similarity("天気はとても", "今日の天気はとてもいいです") == 1.0
