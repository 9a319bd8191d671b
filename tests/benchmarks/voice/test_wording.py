import pytest

from benchmarks.voice.wording import words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World!", "hello world"),
        ("It's 9:30 - the 2nd call.", "its nine thirty the second call"),
        ("28.8% of $1,200", "twenty eight point eight percent of one thousand two hundred dollars"),
        (
            "I can\N{RIGHT SINGLE QUOTATION MARK}t, I won't; they've",
            "i can not i will not they have",
        ),
        ("I cannot", "i can not"),
        ("at 8 a.m. [beep] <click>", "at eight am"),
        ("the 21st, the 40th, the 12th", "the twenty first the fortieth the twelfth"),
        ("room 007", "room zero zero seven"),
        ("2,000,015", "two million fifteen"),
        ("3 & 4 + 5", "three and four plus five"),
        ("re-enter the pound-key", "re enter the pound key"),
        ("café", "café"),
        ("...", ""),
    ],
)
def test_texts_become_words_as_they_are_said(text: str, words: str) -> None:
    assert words_of(text) == words.split()
