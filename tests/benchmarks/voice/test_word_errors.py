import pytest

from benchmarks.voice.word_errors import WordErrors, errors_in, total


@pytest.mark.parametrize(
    ("heard", "errors"),
    [
        ("We meet at nine.", 0),
        ("we meet at 9", 0),
        ("We meat at nine.", 1),
        ("We at nine.", 1),
        ("We will meet at nine.", 1),
        ("", 4),
        ("Nobody said anything of that kind.", 6),
    ],
)
def test_wrong_missing_and_superfluous_words_are_counted(heard: str, errors: int) -> None:
    assert errors_in("We meet at nine.", heard) == WordErrors(errors=errors, words=4)


def test_long_texts_weigh_more_than_short_ones() -> None:
    parts = [WordErrors(errors=1, words=1), WordErrors(errors=0, words=9)]

    assert total(parts).percent == 10.0


def test_of_no_words_none_is_wrong() -> None:
    assert total([]).percent == 0.0
