from typing import Any

import pytest

from extensions.jobs.tool_arguments import (
    BadArgumentError,
    optional_number,
    optional_text,
    required_text,
    whole_number,
)


def text_of(value: Any) -> str:
    return required_text({"task": value}, "task", length_limit=20)


def test_a_text_is_taken_without_the_white_space_around_it() -> None:
    assert text_of("  print\tfibonacci\n") == "print\tfibonacci"
    assert text_of("größer 🦊") == "größer 🦊"


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (None, "task is missing: send it as a text that is not empty."),
        (" \n ", "task is missing: send it as a text that is not empty."),
        (7, "task must be a text."),
        (["x"], "task must be a text."),
        ("x" * 21, "task has 21 characters, and may have 20: shorten it."),
        (
            "print\x00 it",
            "task holds the character U+0000, which is not plain text: send it again without that.",
        ),
        (
            "half a fox \ud83e",
            "task holds the character U+D83E, which is not plain text: send it again without that.",
        ),
    ],
)
def test_a_wrong_text_is_refused_in_a_sentence_that_says_what_to_send(
    value: Any, sentence: str
) -> None:
    with pytest.raises(BadArgumentError) as caught:
        text_of(value)

    assert str(caught.value) == sentence


def test_an_optional_text_may_be_missing_or_empty() -> None:
    assert optional_text({}, "name", length_limit=5) is None
    assert optional_text({"name": "  "}, "name", length_limit=5) is None
    assert optional_text({"name": "fox"}, "name", length_limit=5) == "fox"


@pytest.mark.parametrize(("value", "taken"), [(None, 10), (1, 1), (50, 50), (7.0, 7)])
def test_a_whole_number_is_taken(value: Any, taken: int) -> None:
    assert whole_number({"limit": value}, "limit", lowest=1, highest=50, default=10) == taken


@pytest.mark.parametrize("value", [0, 51, 7.5, "7", True, [7], float("nan"), float("inf")])
def test_anything_else_than_a_whole_number_in_the_range_is_refused(value: Any) -> None:
    with pytest.raises(BadArgumentError, match="limit must be a whole number from 1 to 50"):
        whole_number({"limit": value}, "limit", lowest=1, highest=50, default=10)


def test_a_number_is_taken() -> None:
    for value in (None, 0, 0.25, 1):
        assert optional_number({"fraction": value}, "fraction", lowest=0, highest=1) == value


@pytest.mark.parametrize("value", [-0.1, 1.5, 75, "0.5", True, float("nan")])
def test_anything_else_than_a_number_in_the_range_is_refused(value: Any) -> None:
    with pytest.raises(BadArgumentError, match="fraction must be a number from 0 to 1"):
        optional_number({"fraction": value}, "fraction", lowest=0, highest=1)
