"""Cutting text into sentences while it is written."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from voice.sentences import SentenceSplitter


def pieces_of(text: str, *, at_once: int = 1, words: int = 4, longest: int = 300) -> list[str]:
    splitter = SentenceSplitter(words, longest)
    pieces = list[str]()
    for start in range(0, len(text), at_once):
        pieces += splitter.feed(text[start : start + at_once])
    return pieces + splitter.finish()


CASES = {
    "sentences": ["It is late. ", "Shall I stop? ", "Yes! ", "Good."],
    "the first piece ends at a comma": [
        "I have looked at it, ",
        "and it is fine, I think. ",
        "Ok.",
    ],
    "not at an early comma": ["Well, I have looked. ", "It is fine, all of it."],
    "nor at a comma in parentheses": ["It is one (of two, or three). ", "Ok."],
    "a dash is a pause": ["There are two of them \u2013 ", "one is yours."],
    "decimals": ["It took 3.5 seconds, ", "or 1,000.25 in all. ", "So."],
    "file names": ["See config.toml and main.py. ", "Then e.g. run it."],
    "a line number": ["See a.py:12. ", "Ok."],
    "addresses": ["Look at https://example.com/a.b?c=d! ", "Now."],
    "abbreviations": ["Dr. Smith vs. Mr. J, ", "i.e. both. ", "Ok."],
    "initials": ["J. R. R. Tolkien wrote it. ", "So do I. ", "Really."],
    "an acronym with dots": ["The U.S. Army came. ", "Then."],
    "etc. in the middle": ["Apples, pears etc. are here. ", "Ok."],
    "etc. at the end": ["I like pears etc. ", "They are good."],
    "no. with a number": ["It is no. 5 of them. ", "No. ", "It is not."],
    "p.m. at the end": ["Come at 5 p.m. ", "We wait."],
    "an ellipsis that goes on": ["Well... let me see. ", "Ok."],
    "an ellipsis that ends": ["Well… ", "Let me see."],
    "a quotation that goes on": ['"Really?" he said. ', "Yes."],
    "a quotation that ends": ['He said "Really?" ', "Yes."],
    "closing marks": ["**Done.** ", "_Good!_ ", "(It was.) ", "So."],
    "a numbered list": ["1. Take it.\n", "2. Give it back.\n", "\n3. Rest."],
    "a list": ["It has:\n", "- this\n", "- that one\n", "\nOk."],
    "a year at the end": ["It was in 1984. ", "Then."],
    "code in the line": ["Call `a. B()` now. ", "Then `x`."],
    "a lonely backtick": ["A ` mark. ", "and\n", "so on."],
    "a label with a full stop": ["See [the docs. All](http://a.b) now. ", "Ok."],
    "Chinese": ["你好。", "今天天气很好\uff01", "是的。"],
    "Japanese": ["これは長い文章です、", "そうですね。", "「はい。」", "次です。"],
    "no end": ["and so on"],
    "white space alone": [" \n "],
    "nothing": [],
    "white space before": ["\n\n  Yes. ", " No."],
}


@pytest.mark.parametrize("expected", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("at_once", [1, 3, 1000])
def test_text_is_cut_where_sentences_end(expected: list[str], at_once: int) -> None:
    assert pieces_of("".join(expected), at_once=at_once) == expected


CODE = "```py\na. B\n\nc, d `e` f. G\n```\n"
TABLE = "| a | b |\n|---|---|\n| 1. One | 2 |\n"


@pytest.mark.parametrize("at_once", [1, 2, 5, 1000])
@pytest.mark.parametrize(
    "expected",
    [
        ["Here:\n", CODE, "Ok."],
        ["Here it is: ", "```a. B``` ", "And on. ", "Ok."],
        [CODE, "\n" + CODE],
        ["````\n```\na. B\n```\n````\n", "Ok."],
        ["~~~\na. B\n~~~\n", "Ok."],
        ["~5 of them. ", "Ok."],
        ["Left open:\n", "```\na. B\nc. D\n"],
        ["Here:\n", TABLE, "Ok. ", "So."],
        ["Here:\n", TABLE, "\nOk."],
        ["Here:\n", TABLE],
        ["``"],
    ],
)
def test_a_block_of_code_or_a_table_is_one_piece(expected: list[str], at_once: int) -> None:
    assert pieces_of("".join(expected), at_once=at_once) == expected


def test_a_sentence_is_handed_over_as_soon_as_the_next_word_may_begin() -> None:
    splitter = SentenceSplitter()

    assert splitter.feed("It is late") == []
    assert splitter.feed(".") == []
    assert splitter.feed(" ") == ["It is late. "]


def test_a_long_sentence_is_cut_at_a_comma_or_between_words() -> None:
    assert pieces_of("aaa bbb ccc, ddd eee fff", longest=16) == ["aaa bbb ccc, ", "ddd eee fff"]
    assert pieces_of("aaa bbb ccc ddd eee fff", longest=14) == ["aaa bbb ccc ", "ddd eee fff"]


def test_what_has_no_place_to_cut_may_be_longer_but_not_for_ever() -> None:
    pieces = pieces_of("x" * 100 + " " + "y" * 300, longest=40)

    assert pieces == ["x" * 100 + " ", "y" * 160, "y" * 140]


def test_a_long_block_of_code_costs_little() -> None:
    code = "```\n" + "some words, and more. Of it\n" * 4000 + "```\n"

    assert pieces_of(code, at_once=4) == [code]


def test_a_splitter_can_be_used_again() -> None:
    splitter = SentenceSplitter()
    splitter.feed("One. Two")

    assert splitter.finish() == ["Two"]
    assert splitter.feed("I have looked at it, and") == ["I have looked at it, "]


TOKENS = ["word", "Word", " ", " ", "\n", ".", ",", "! ", "? ", "`", "```", "~~~", "|", "...", "…"]
MORE = ["[", "](", ")", "(", "e.g", "1", "。", "、", "語", "**", '"', "https://a.b/c", "- ", "I"]
ANY_TEXT = st.lists(st.sampled_from([*TOKENS, *MORE]), max_size=60).map("".join)


@settings(deadline=None)
@given(ANY_TEXT, st.lists(st.integers(1, 7), min_size=1, max_size=5))
@example("```` ```word`````` ````", [1])
@example(".. \n )!?`. )", [1])
def test_the_pieces_joined_are_the_text_and_do_not_depend_on_how_it_was_fed(
    text: str, sizes: list[int]
) -> None:
    splitter = SentenceSplitter(4, 40)
    pieces = list[str]()
    at = step = 0
    while at < len(text):
        size = sizes[step % len(sizes)]
        pieces += splitter.feed(text[at : at + size])
        at, step = at + size, step + 1
    pieces += splitter.finish()

    assert "".join(pieces) == text
    assert all(pieces)
    assert pieces == pieces_of(text, at_once=1000, longest=40)
