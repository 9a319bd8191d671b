import pytest

from bot.wording import cost_words, duration_words, shortened


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "less than a second"),
        (1, "1 second"),
        (59.4, "59 seconds"),
        (60, "1 minute"),
        (240, "4 minutes"),
        (3599, "1 hour"),
        (3600, "1 hour"),
        (86_399, "1 day"),
        (3900, "1 hour 5 minutes"),
        (90_000, "1 day 1 hour"),
    ],
)
def test_a_duration_is_worded_as_one_would_say_it(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words


@pytest.mark.parametrize(
    ("us_dollars", "words"),
    [(0.0, "$0.00"), (0.001, "less than $0.01"), (0.184, "$0.18"), (1234.5, "$1,234.50")],
)
def test_a_cost_has_as_many_digits_as_tell_something(us_dollars: float, words: str) -> None:
    assert cost_words(us_dollars) == words


def test_a_shortened_text_never_exceeds_its_limit() -> None:
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abc def", 5) == "abc…"


def test_a_cost_of_which_only_a_part_is_known_says_so() -> None:
    assert cost_words(0.184, is_partial=True) == "at least $0.18"
    assert cost_words(0.001, is_partial=True) == "at least $0.00"
