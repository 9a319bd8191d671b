import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.text.splitting import MESSAGE_LIMIT, split_message
from tests.bot.text.markdown import LANGUAGES, documents, fences, items, links, rough_texts
from tests.fakes.call_counter import calls_of

LIMIT = 80

EXAMPLES = 200


def without_layout(text: str) -> str:
    languages = "|".join(re.escape(language) for language in LANGUAGES if language)
    return re.sub(rf"```(?:(?:{languages})\n)?|\s", "", text)


@settings(max_examples=EXAMPLES, deadline=None)
@given(rough_texts)
def test_no_message_is_over_the_limit_or_empty(text: str) -> None:
    assert all(0 < len(message) <= LIMIT for message in split_message(text, LIMIT))


@settings(max_examples=EXAMPLES, deadline=None)
@given(rough_texts)
def test_every_fence_is_closed_in_its_message(text: str) -> None:
    assert all(message.count("```") % 2 == 0 for message in split_message(text, LIMIT))


@settings(max_examples=EXAMPLES, deadline=None)
@given(documents)
def test_no_message_of_a_document_is_too_long_for_discord_or_leaves_a_fence_open(
    text: str,
) -> None:
    for message in split_message(text):
        assert 0 < len(message) <= MESSAGE_LIMIT
        assert message.count("```") % 2 == 0


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.one_of(st.text("abc. \n", max_size=100), st.just("w" * 200))).map("".join))
def test_nothing_but_white_space_is_lost(text: str) -> None:
    assert "".join("".join(split_message(text, LIMIT)).split()) == "".join(text.split())


@settings(max_examples=EXAMPLES, deadline=None)
@given(documents, st.sampled_from([LIMIT, 300, MESSAGE_LIMIT]))
def test_nothing_of_a_document_is_lost(text: str, limit: int) -> None:
    assert without_layout("\n".join(split_message(text, limit))) == without_layout(text)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.one_of(rough_texts, documents), st.integers(min_value=0))
def test_a_text_that_grows_changes_no_message_but_the_last(text: str, length: int) -> None:
    early = split_message(text[: length % (len(text) + 1)], LIMIT)
    assert split_message(text, LIMIT)[: len(early[:-1])] == early[:-1]


@settings(max_examples=EXAMPLES, deadline=None)
@given(documents, st.sampled_from([LIMIT, 300, MESSAGE_LIMIT]))
def test_a_link_that_fits_into_a_message_stands_in_one_whole(text: str, limit: int) -> None:
    messages = split_message(text, limit)
    for link in links(text):
        if len(link) <= limit:
            assert any(link in message for message in messages)


@settings(max_examples=EXAMPLES, deadline=None)
@given(documents, st.sampled_from([LIMIT, 300, MESSAGE_LIMIT]))
def test_an_item_that_fits_into_a_message_stands_in_one_whole(text: str, limit: int) -> None:
    messages = split_message(text, limit)
    for item in items(text):
        # Where it fills a message to the brim, what follows it cannot be seen.
        if len(item) <= limit - 2:
            assert any(item in message for message in messages)


@settings(max_examples=EXAMPLES, deadline=None)
@given(documents, st.sampled_from([LIMIT, 300, MESSAGE_LIMIT]))
def test_a_fence_that_fits_into_a_message_stands_in_one_whole(text: str, limit: int) -> None:
    messages = split_message(text, limit)
    for fence in fences(text):
        if len(fence) <= limit - 4:
            assert any(fence in message for message in messages)


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.text(st.characters(), max_size=300))
def test_whatever_characters_there_are_each_message_can_be_sent(text: str) -> None:
    for message in split_message(text, LIMIT):
        assert len(message) <= LIMIT
        message.encode()


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


def test_a_list_that_fits_into_the_next_message_is_not_begun_in_this_one() -> None:
    items = "\n".join(f"- item {number} of them" for number in range(3))
    assert split_message(f"{'p ' * 15}\n\n{items}", LIMIT) == [("p " * 15).strip(), items]


def test_a_list_is_cut_between_its_items_not_before_what_stands_below_one() -> None:
    first, second = "- one\n  - a\n  - b", f"- two\n  - c\n  - d\n\n  {'more ' * 9}".rstrip()
    assert split_message(f"{first}\n{second}", LIMIT) == [first, second]


def test_a_fence_stays_with_the_item_that_it_belongs_to() -> None:
    item = "- so:\n  ```py\n  x = 1\n  y = 2\n  ```"
    assert split_message(f"- first {'w ' * 22}\n{item}", LIMIT) == [
        f"- first {'w ' * 22}".rstrip(),
        item,
    ]


def test_an_item_that_is_too_long_for_a_message_is_cut_before_the_items_below_it() -> None:
    item = "- one\n" + "\n".join(f"  - number {number} below it" for number in range(5))
    assert split_message(item, LIMIT) == [
        "- one\n  - number 0 below it\n  - number 1 below it\n  - number 2 below it",
        "- number 3 below it\n  - number 4 below it",
    ]


def test_a_heading_stays_with_what_follows_it() -> None:
    assert split_message(f"{'w ' * 25}\n\n## More\n\n{'v ' * 30}", LIMIT) == [
        ("w " * 25).strip(),
        f"## More\n\n{'v ' * 30}".strip(),
    ]


@pytest.mark.parametrize(
    "whole",
    [
        "**bold words that belong together**",
        "`code with some words in it`",
        "||a secret that is a little longer||",
        "[some words of a link](https://example.org/a)",
        '[a link](https://example.org/b_(c) "with a title")',
        "![a picture](https://example.org/p.png)",
    ],
)
def test_what_is_formatted_as_one_is_not_cut(whole: str) -> None:
    messages = split_message(f"{'w ' * 30}{whole} {'v ' * 20}", LIMIT)
    assert messages[0] == ("w " * 30).strip()
    assert messages[1].startswith(whole)


def test_an_address_without_spaces_around_it_is_not_cut() -> None:
    address = "https://example.org/" + "a" * 40
    assert split_message("字" * 60 + address, LIMIT) == ["字" * 60, address]


def test_a_text_without_spaces_is_cut_after_a_sentence() -> None:
    assert split_message("字" * 50 + "。" + "文" * 40, LIMIT) == ["字" * 50 + "。", "文" * 40]


def test_what_is_drawn_as_one_character_is_not_cut() -> None:
    family = "👩\u200d👩\u200d👧"
    assert split_message("x" * 77 + family, LIMIT) == ["x" * 77, family]
    assert split_message("x" * 79 + "e\u0301" + "y", LIMIT) == ["x" * 79, "e\u0301y"]


def test_half_of_a_character_is_replaced() -> None:
    assert split_message("a\ud83eb") == ["a\ufffdb"]


def test_a_limit_without_room_for_a_fence_is_refused() -> None:
    with pytest.raises(ValueError, match="64"):
        split_message("text", 10)


@pytest.mark.parametrize("unit", ["\\", "\u0301", "\u200d", "a\\"])
def test_what_has_no_end_is_cut_all_the_same_into_few_messages(unit: str) -> None:
    text = unit * 10_000
    messages = split_message(text)

    assert "".join(messages) == text
    assert len(messages) <= len(text) // (MESSAGE_LIMIT - 100) + 1


@pytest.mark.parametrize("unit", ["```\nx\n```\n", "``````", "`b` ", "**b** ", "http://c "])
def test_what_is_done_for_each_character_is_little_however_much_is_in_a_message(unit: str) -> None:
    text = unit * (10_000 // len(unit))
    assert calls_of(lambda: split_message(text)) < 10 * len(text)
