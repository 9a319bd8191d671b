import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.jobs.naming import NAME_LENGTH_LIMIT, base_name, unclashed


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("fibonacci", "fibonacci"),
        ("  My Script!! ", "my-script"),
        ("Größe prüfen", "groe-prufen"),
        ("../../etc/passwd", "etc-passwd"),
        ("$(id)", "id"),
        ("-rf", "rf"),
        ("a\x00b\nc", "a-b-c"),
        ("\u202egnp.exe", "gnp-exe"),
    ],
)
def test_a_wanted_name_is_kept_as_far_as_letters_and_digits_allow(wanted: str, name: str) -> None:
    assert base_name("8d08ba4f", "print fibonacci", wanted) == name


@pytest.mark.parametrize("wanted", [None, "", "   ", "🦊", "日本"])
def test_without_a_usable_name_it_is_made_from_the_task(wanted: str | None) -> None:
    task = "Create a file called hello.txt"

    assert base_name("8d08ba4f", task, wanted) == "create-a-file-called-hello-txt"


def test_a_task_without_letters_and_digits_gives_a_name_from_the_id() -> None:
    assert base_name("8d08ba4f", "🦊🦊 日本語", None) == "job-8d08ba4f"


def test_a_long_task_is_cut_at_the_end_of_a_word() -> None:
    task = "Write a program that prints the Fibonacci numbers and then explains each of them"

    name = base_name("8d08ba4f", task, None)

    assert name == "write-a-program-that-prints-the-fibonacci-numbers-and-then"


def test_one_long_word_is_cut_in_the_middle() -> None:
    assert base_name("8d08ba4f", "x" * 300, None) == "x" * NAME_LENGTH_LIMIT


def test_a_name_that_is_taken_gets_the_first_free_number() -> None:
    assert unclashed("fox", set()) == "fox"
    assert unclashed("fox", {"fox"}) == "fox-2"
    assert unclashed("fox", {"fox", "fox-2", "fox-4"}) == "fox-3"


def test_a_numbered_name_is_no_longer_than_a_name_may_be() -> None:
    assert unclashed("x" * 60, {"x" * 60}) == "x" * 58 + "-2"


@given(task=st.text(), wanted=st.none() | st.text())
def test_a_name_is_always_safe_and_never_empty(task: str, wanted: str | None) -> None:
    name = base_name("8d08ba4f", task, wanted)
    second = unclashed(name, {name})

    for one in (name, second):
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one)
        assert len(one) <= NAME_LENGTH_LIMIT
    assert second != name
