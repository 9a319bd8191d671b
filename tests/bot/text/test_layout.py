import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.messenger import File
from bot.text.layout import GOES_ON, REST_IN_FILE, Layout, all_messages, lay_out
from tests.bot.text.markdown import documents, rough_texts
from tests.fakes.call_counter import calls_of

LIMIT = 200
FENCE = "```py\nx = 1\n```\n"
ITEMS = [f"- item {number} of a list" for number in range(60)]


def test_a_text_that_needs_few_messages_is_shown_in_them() -> None:
    text = "\n".join(ITEMS[:15])
    layout = lay_out(text, limit=LIMIT)
    assert len(layout.messages) == 2
    assert "\n".join(layout.messages) == text
    assert layout == Layout(messages=layout.messages)


def test_a_text_that_needs_more_is_one_message_and_a_file_with_all_of_it_as_it_was() -> None:
    text = "# Items\n\n" + "\n".join(ITEMS) + "\n\n---\n<b>That is all.</b>"
    layout = lay_out(text, limit=LIMIT)
    (preview,) = layout.messages
    assert preview.startswith("# Items\n\n- item 0 of a list\n- item 1 of a list")
    assert preview.endswith(f"of a list\n\n{REST_IN_FILE}")
    assert len(preview) <= LIMIT
    assert layout.file == File(name="answer.md", content=text.encode())


def test_while_it_is_written_the_first_messages_are_shown_and_that_it_goes_on() -> None:
    text = "\n".join(ITEMS)
    layout, whole = lay_out(text, limit=LIMIT), all_messages(text, limit=LIMIT)
    first, second, third = layout.growing
    assert (first, second) == whole[:2]
    assert third.endswith(GOES_ON)
    assert whole[2].startswith(third.split("\n", maxsplit=1)[0])


def test_where_no_file_is_taken_the_messages_hold_all_of_it() -> None:
    assert "\n".join(all_messages("\n".join(ITEMS), limit=LIMIT)) == "\n".join(ITEMS)


@pytest.mark.parametrize(
    "unit", [FENCE, "- an item\n", "| a | b |\n|---|---|\n| c | d |\n\n", "w "]
)
def test_of_a_long_text_no_more_is_looked_at_than_is_shown(unit: str) -> None:
    some, more = (unit * number for number in (20_000, 40_000))
    assert lay_out(more).messages == lay_out(some).messages
    assert lay_out(more).growing == lay_out(some).growing
    assert calls_of(lambda: lay_out(more)) < 1.1 * calls_of(lambda: lay_out(some))


def test_a_text_of_which_little_is_drawn_is_looked_at_until_there_is_enough() -> None:
    text = "<!-- nothing -->" * 10_000 + "\n".join(ITEMS)
    assert lay_out(text, limit=LIMIT).growing == lay_out("\n".join(ITEMS), limit=LIMIT).growing


def test_a_text_of_nothing_that_is_drawn_is_shown_as_it_is() -> None:
    assert lay_out("<!-- nothing -->").messages == ("<!-- nothing -->",)


def test_a_text_of_white_space_is_no_message() -> None:
    assert lay_out(" \n").messages == ()


@settings(max_examples=200, deadline=None)
@given(st.one_of(rough_texts, documents))
def test_every_message_can_be_sent_and_closes_its_fences(text: str) -> None:
    layout = lay_out(text, limit=LIMIT, most=2)
    for message in (*layout.messages, *layout.growing, *all_messages(text, limit=LIMIT)):
        assert 0 < len(message) <= LIMIT
        assert message.count("```") % 2 == 0
    assert len(layout.messages) <= 2
    assert len(layout.growing) <= 2


@settings(max_examples=200, deadline=None)
@given(documents, st.integers(min_value=0))
def test_a_document_that_grows_changes_no_message_but_the_last_unless_something_is_formatted(
    text: str, length: int
) -> None:
    plain = text.replace("![", "[")
    early = lay_out(plain[: length % (len(plain) + 1)], limit=LIMIT, most=100).messages
    assert lay_out(plain, limit=LIMIT, most=100).messages[: len(early[:-1])] == early[:-1]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.text(st.sampled_from("ab 名*`"), max_size=12), min_size=1, max_size=20),
    documents,
    st.integers(min_value=0),
)
def test_a_table_that_is_written_changes_no_message_before_the_one_in_which_it_begins(
    cells: list[str], before: str, length: int
) -> None:
    table = "\n".join(["| a | b |", "|---|---|", *(f"| {cell} | x |" for cell in cells)])
    text = f"{before.replace('![', '[')}\n\n{table}"
    stable = lay_out(text[: -len(table)], limit=LIMIT, most=100).messages[:-1]
    early = lay_out(text[: len(text) - length % len(table)], limit=LIMIT, most=100).messages
    assert early[: len(stable)] == stable
