import pytest

from voice.engines.boundaries import Boundaries

TEXT = "It's 5 o'clock, isn't it? Yes: it is."


def told(text: str, *words: str) -> tuple[Boundaries, list[int | None]]:
    boundaries = Boundaries(text)
    ends = [boundaries.word(word, end_seconds=i + 1.0) for i, word in enumerate(words)]
    return boundaries, ends


def test_words_are_found_one_after_the_other() -> None:
    _, ends = told(TEXT, "It's", "5", "o'clock", "isn't", "it", "Yes", "it", "is")
    assert [TEXT[:end].rsplit(maxsplit=1)[-1] for end in ends if end] == [
        "It's",
        "5",
        "o'clock",
        "isn't",
        "it",
        "Yes",
        "it",
        "is",
    ]


def test_a_word_that_is_told_otherwise_is_passed_over() -> None:
    _, ends = told("It costs $5 now", "It", "costs", "five", "now")
    assert ends == [2, 8, None, 15]


def test_a_word_is_not_looked_for_far_ahead() -> None:
    text = "one " + "x" * 200 + " two"
    assert told(text, "one", "two")[1] == [3, None]


@pytest.mark.parametrize(
    ("words", "audio_seconds", "is_cut"),
    [
        (("one", "two", "three", "four"), 4.8, False),
        (("one", "two", "three", "four"), 4.0, False),
        (("one", "two", "three", "four"), 3.7, True),
        (("one", "two"), 2.1, True),
        (("one", "two"), 2.8, False),
        (("one", "two", "three"), 3.0, False),
        ((), 1.0, False),
    ],
)
def test_audio_is_cut_if_it_ends_before_the_words_do(
    words: tuple[str, ...], audio_seconds: float, *, is_cut: bool
) -> None:
    boundaries, _ = told("one two three four", *words)
    assert boundaries.is_cut(audio_seconds) is is_cut
