import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.quoting import cleaned, code, plain, quotation, unmasked

# What does harm, and whatever else there is.
MARKUP = "``` `` ` ** __ ~~ || \\ [ ]( [a](https://e.example/x_y) https://e.example/a_b*c"
STARTS = ("# ", "\n# ", "\n> ", "\n>>> ", "\n- ", "\n1. ", "-# ")
MENTIONS = "@everyone @here <@123> <@!1> <@&5> <#7> </run:9> <t:1:R>"
UNSEEN = "\u202e \u200b \u2066 \ufeff \u3164 \U000e0041 \x00 \x1b[2J \ud800 👩\u200d💻"
BREAKS = ("\u2028", "\r\n", "\u0301" * 9)
HARM = st.sampled_from(
    [*MARKUP.split(" "), *STARTS, *MENTIONS.split(" "), *UNSEEN.split(" "), *BREAKS]
)
TEXTS = st.lists(HARM | st.text(max_size=10), max_size=30).map("".join)
LIMITS = st.integers(min_value=10, max_value=500)

MENTION = re.compile(r"@(?:everyone|here|[!&]?[0-9])|<(?:#|/|t:)", re.IGNORECASE)


def shown(markdown: str) -> str:
    """Return what a reader sees of text in which every special character is escaped."""
    return re.sub(r"\\([^0-9A-Za-z\s])", r"\1", markdown).replace("@\u200b", "@")


def bare(markdown: str) -> str:
    """Return what is left to format once all that is escaped, and each address, is gone."""
    without_escaped = re.sub(r"\\[^0-9A-Za-z\s]", "", markdown)
    return re.sub(r"https?://[^\s<]+", "", without_escaped)


@given(TEXTS, LIMITS)
def test_one_line_is_never_too_long_and_formats_nothing(text: str, limit: int) -> None:
    line = plain(text, limit)
    assert len(line) <= limit
    assert "\n" not in line
    assert not re.search(r"[*_~|`\[\]<]", bare(line))
    assert not re.match(r"#{1,3} |>|[-+] |-# |[0-9]+[.)] ", line)
    assert not MENTION.search(re.sub(r"\\[<]", "", line))


@given(TEXTS, LIMITS)
def test_each_line_of_a_quotation_is_marked_and_formats_nothing(text: str, limit: int) -> None:
    quoted = quotation(text, limit)
    lines = quoted.split("\n") if quoted else []
    assert len(quoted) <= limit + 2 * 20
    assert len(lines) <= 20
    for line in lines:
        assert line.startswith("> ")
        assert not re.search(r"[*_~|`\[\]<]", bare(line[2:]))
        assert not re.match(r"#{1,3} |>|[-+] |-# |[0-9]+[.)] ", line[2:])


@given(TEXTS, LIMITS)
def test_code_cannot_be_left_from_within(text: str, limit: int) -> None:
    quoted = code(text, limit)
    assert len(quoted) <= limit
    assert quoted[0] == quoted[-1] == "`"
    assert "`" not in quoted[1:-1]
    assert not re.search(r"@(?:everyone|here|[!&]?[0-9])", quoted, re.IGNORECASE)


@given(TEXTS)
def test_nothing_invisible_is_left(text: str) -> None:
    for made in (plain(text, 500), quotation(text, 500), code(text, 500), unmasked(text)):
        visible = made.replace("@\u200b", "@")
        assert {unicodedata.category(one) for one in visible if one not in "\n\t"}.isdisjoint(
            {"Cc", "Cf", "Cs"}
        )


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=80))
def test_a_reader_sees_a_line_as_it_was_written(text: str) -> None:
    assert shown(plain(text, 500)) == " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("It ran out of turns. (see log)", "It ran out of turns. (see log)"),
        ("**done** in `a_b`", r"\*\*done\*\* in \`a\_b\`"),
        ("[a](https://e.example/x_y)", r"\[a\](https://e.example/x_y)"),
        ("gnp\u202e.exe\u200b", "gnp.exe"),
        ("# title\nand more", r"\# title and more"),
        ("ping @everyone <@&5>", "ping @\u200beveryone \\<@\u200b&5>"),
        ("1. one", r"1\. one"),
    ],
)
def test_what_would_mislead_is_shown_as_it_is(text: str, line: str) -> None:
    assert plain(text, 100) == line


def test_what_is_too_long_ends_with_an_ellipsis_and_no_half_of_an_escape() -> None:
    assert plain("*" * 10, 10) == r"\*\*\*\*…"
    assert quotation("a\n\n\nb", 100) == "> a\n> b"
    assert quotation("\n".join("x" * 25), 1000).endswith("> x…")
    assert quotation(" \n\u200b ", 100) == ""


def test_accents_cannot_be_heaped() -> None:
    assert cleaned("e" + "\u0301" * 50 + "f") == "e\u0301\u0301f"


@given(TEXTS)
def test_a_text_that_keeps_its_formatting_hides_no_address(text: str) -> None:
    assert "](" not in unmasked(text)
    assert not re.search(r"@(?:everyone|here|[!&]?[0-9])", unmasked(text), re.IGNORECASE)


def test_an_address_stands_beside_the_words_that_hid_it() -> None:
    text = "**See** [your bank](<https://e.example> 'title')."
    assert unmasked(text) == "**See** your bank (https://e.example)."


def test_what_only_begins_like_a_hidden_address_takes_no_time() -> None:
    text = "[](" + "a" * 300_000

    assert unmasked(text) == text.replace("](", "] (")
