"""What a transcript is worth."""

import pytest

from voice.transcripts import dangles, is_ghost, words_only


@pytest.mark.parametrize(
    ("transcript", "words"),
    [
        ("Hello there.", "Hello there."),
        ("  two \n lines ", "two lines"),
        ("♪♪♪", ""),
        ("♪ la la ♪", "la la"),
        ("[Music]", ""),
        ("(applause) Thanks.", "Thanks."),
        ("*coughs*", ""),
        ("... ?!", ""),
        ("", ""),
        ("こんにちは。", "こんにちは。"),
        ("4", "4"),
    ],
)
def test_what_tells_of_sounds_is_left_out(transcript: str, words: str) -> None:
    assert words_only(transcript) == words


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("You", True),
        ("Thank you for watching!", True),
        ("Thank you.", True),
        ("Thank you for the tests.", False),
        ("", False),
    ],
)
def test_what_noise_is_known_to_lead_to_is_a_ghost(text: str, *, is_one: bool) -> None:
    assert is_ghost(text) is is_one


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("I want to.", True),
        ("Then we go to the.", True),
        ("Well, um", True),
        ("And I\u2019m.", True),
        ("One, two,", True),
        ("I was thinking...", True),
        ("Run the tests.", False),
        ("What is this about?", False),
        ("Do that.", False),
        ("", False),
        ("♪", False),
    ],
)
def test_a_text_dangles_that_ends_in_the_middle_of_a_sentence(text: str, *, is_so: bool) -> None:
    assert dangles(text) is is_so
