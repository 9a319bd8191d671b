import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.discord_io.splitting import split_message

LIMIT = 80

words = st.text(st.sampled_from("abcä🦀`* _"), max_size=30)
code = st.text(st.sampled_from("xyz =`\t\n "), max_size=150)
fences = st.builds(
    "{}```{}\n{}\n```{}".format, words, st.sampled_from(["", "py", "c++"]), code, words
)
texts = st.lists(
    st.one_of(words, fences, st.sampled_from(["\n", "\n\n", "```", "w" * 200, "`" * 90, " "])),
    max_size=12,
).map("".join)


def without_layout(text: str) -> str:
    return re.sub(r"```(?:(?:py|c\+\+)\n)?|\s", "", text)


@settings(max_examples=200)
@given(texts)
def test_no_message_is_over_the_limit_or_empty(text: str) -> None:
    assert all(0 < len(message) <= LIMIT for message in split_message(text, LIMIT))


@settings(max_examples=200)
@given(texts)
def test_every_fence_is_closed_in_its_message(text: str) -> None:
    assert all(message.count("```") % 2 == 0 for message in split_message(text, LIMIT))


@settings(max_examples=200)
@given(st.lists(st.one_of(st.text("abc. \n", max_size=100), st.just("w" * 200))).map("".join))
def test_nothing_but_white_space_is_lost(text: str) -> None:
    assert "".join("".join(split_message(text, LIMIT)).split()) == "".join(text.split())


@settings(max_examples=200)
@given(
    st.lists(
        st.builds(
            "{}\n```{}\n{}\n```\n".format,
            st.text("ab \n"),
            st.sampled_from(["", "py"]),
            st.text("xyz =\t\n", min_size=1, max_size=300),
        ),
    ).map("".join)
)
def test_nothing_of_fenced_code_is_lost(text: str) -> None:
    assert without_layout("".join(split_message(text, LIMIT))) == without_layout(text)


@settings(max_examples=200)
@given(texts, st.integers(min_value=0))
def test_a_text_that_grows_changes_no_message_but_the_last(text: str, length: int) -> None:
    early = split_message(text[: length % (len(text) + 1)], LIMIT)
    assert split_message(text, LIMIT)[: len(early[:-1])] == early[:-1]


def test_a_text_that_fits_is_left_as_it_is() -> None:
    text = "a\n\n```py\nb\n```\nc"
    assert split_message(text) == [text]


def test_a_text_of_white_space_is_no_message() -> None:
    assert split_message(" \n ") == []


def test_it_cuts_between_paragraphs_rather_than_lines_and_lines_rather_than_words() -> None:
    paragraph, line, word = "p" * 50, "l" * 20, "w " * 40
    assert split_message(f"{paragraph}\n\n{line}\n{word}", LIMIT)[0] == paragraph
    assert split_message(f"{paragraph}\n{word}", LIMIT)[0] == paragraph
    assert split_message("ab " * 40, LIMIT)[0] == ("ab " * 27).strip()


def test_a_fence_that_fits_into_a_message_of_its_own_is_kept_whole() -> None:
    fence = "```py\n" + "x = 1\n" * 11 + "```"
    assert split_message(f"Here it is:\n{fence}\nThere it was.", LIMIT) == [
        "Here it is:",
        fence,
        "There it was.",
    ]


def test_a_long_fence_is_closed_and_opened_anew_with_its_language() -> None:
    lines = [f"    line_{number:02}" for number in range(12)]
    assert split_message("```py\n" + "\n".join(lines) + "\n```", LIMIT) == [
        "```py\n" + "\n".join(lines[:5]) + "\n```",
        "```py\n" + "\n".join(lines[5:10]) + "\n```",
        "```py\n" + "\n".join(lines[10:]) + "\n```",
    ]


def test_a_fence_that_is_still_being_written_is_shown_closed() -> None:
    assert split_message("Look:\n```py\nx = 1\n") == ["Look:\n```py\nx = 1\n```"]


def test_a_limit_without_room_for_a_fence_is_refused() -> None:
    with pytest.raises(ValueError, match="64"):
        split_message("text", 10)
