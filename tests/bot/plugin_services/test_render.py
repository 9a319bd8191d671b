from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.plugin_services.block_texts import MOST_TEXT, MOST_VALUES, with_texts
from bot.plugin_services.blocks import (
    KeyBinding,
    Markdown,
    Plain,
    Progress,
    bindings_of,
    is_empty,
    read_block,
    trouble_with,
)
from bot.plugin_services.render import MORE, drawn
from bot.text.fences import find_fences

LIMIT = 1900
WIDGET = {
    "kind": "widget",
    "widget_id": "list",
    "body": {"kind": "markdown", "text": "body"},
    "keybindings": [{"key": "a", "description": "Add"}, {"key": "d"}, {"key": "a"}],
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=50),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from(
                ["kind", "text", "rows", "columns", "key", "value", "children", "body", "patch"]
            ),
            inner | st.sampled_from(["markdown", "keyvalue", "table", "diff", "stack", "progress"]),
            max_size=5,
        )
    ),
    max_leaves=30,
)


def shown(block: Any, limit: int = LIMIT) -> str:
    return drawn(read_block(block), limit)


def test_markdown_keeps_its_formatting_but_misleads_nobody() -> None:
    text = "# Hi\n**bold** @everyone [bank](https://evil.example)"

    assert shown({"kind": "markdown", "text": text}) == (
        "# Hi\n**bold** @\u200beveryone bank (https://evil.example)"
    )


def test_keys_and_values_read_as_they_were_written() -> None:
    rows = [{"key": "a*b", "value": "`x`"}, {"key": "n", "value": 3}, {"key": "on", "value": True}]

    assert shown({"kind": "keyvalue", "title": "State", "rows": rows}) == (
        "**State**\n**a\\*b**: \\`x\\`\n**n**: 3\n**on**: yes"
    )


def test_the_columns_of_a_table_stand_one_below_the_other_and_figures_to_the_right() -> None:
    block = {"kind": "table", "columns": ["file", "lines"], "rows": [["a*.py", "9"], ["日本", 120]]}

    assert shown(block).split("\n") == [
        "```",
        "file   lines",
        "─────  ─────",
        "a*.py      9",
        "日本     120",
        "```",
    ]


def test_a_wide_table_is_a_list() -> None:
    block = {"kind": "table", "columns": ["what", "why"], "rows": [["x" * 50, "y *" * 10]]}

    first, second = shown(block).split("\n")
    assert first == f"- **what**: {'x' * 50}"
    assert second == "  **why**: " + "y \\*" * 10


def test_a_diff_has_its_colours_and_cannot_end_its_block() -> None:
    assert shown({"kind": "diff", "patch": "-a\n+```b\n"}) == "```diff\n-a\n+'''b\n```"


@pytest.mark.parametrize(
    ("value", "bar"),
    [
        (0, "`░░░░░░░░░░░░░░░░░░░░` 0%"),
        (0.29, "`██████░░░░░░░░░░░░░░` 29%"),
        (0.999, "`████████████████████` 99%"),
        (7, "`████████████████████` 100%"),
        (10**400, "`████████████████████` 100%"),
        (float("nan"), "`░░░░░░░░░░░░░░░░░░░░` 0%"),
    ],
)
def test_progress_is_a_bar(value: float, bar: str) -> None:
    assert shown({"kind": "progress", "value": value}) == bar
    assert shown({"kind": "progress", "label": "*Build*", "value": value}) == (
        f"\\*Build\\*\n{bar}"
    )


def test_blocks_stand_one_below_the_other_and_an_open_fence_ends_with_its_block() -> None:
    children = [
        {"kind": "markdown", "text": "```py\nx = 1"},
        {"kind": "progress", "value": 1},
        WIDGET,
    ]

    assert shown({"kind": "stack", "children": children}) == (
        "```py\nx = 1\n```\n`████████████████████` 100%\nbody"
    )


@pytest.mark.parametrize(
    "block",
    [
        {"kind": "chart", "text": "fall*back"},
        {"kind": "table", "columns": "none", "text": "fall*back"},
        {"kind": "keyvalue", "rows": ["x"], "text": "fall*back"},
        {"kind": "progress", "value": "half", "text": "fall*back"},
        {"kind": "progress", "value": True, "text": "fall*back"},
        {"kind": "widget", "keybindings": [], "text": "fall*back"},
        {"text": "fall*back"},
    ],
)
def test_the_text_of_a_block_stands_for_what_cannot_be_drawn(block: dict[str, Any]) -> None:
    assert shown(block) == "fall\\*back"


def test_what_is_no_block_at_all_is_nothing() -> None:
    nothing: list[Any] = [None, 3, "x", [], {}, {"kind": []}]

    assert [shown(raw) for raw in nothing] == [""] * 6


def test_too_many_rows_are_counted() -> None:
    keys = {"kind": "keyvalue", "rows": [{"key": "k", "value": "v"}] * 51}
    table = {"kind": "table", "columns": ["c"], "rows": [["v"]] * 60}

    assert shown(keys).endswith("-# … and 1 more entry.")
    assert shown(table).endswith("-# … and 10 more rows.")


def test_what_does_not_fit_is_cut_and_says_so() -> None:
    block = {"kind": "stack", "children": [{"kind": "diff", "patch": "+line\n" * 200}] * 3}
    text = shown(block)

    assert len(text) <= LIMIT
    assert text.endswith(MORE)
    assert all(fence.end is not None for fence in find_fences(text))


def test_a_stack_may_be_deep_but_not_for_ever() -> None:
    block: dict[str, Any] = {"kind": "markdown", "text": "deep"}
    for _ in range(2000):
        block = {"kind": "stack", "children": [block]}

    assert shown(block) == ""
    assert shown({"kind": "stack", "children": [{"kind": "stack", "children": [WIDGET]}]}) == "body"


def test_keys_are_gathered_once_each_from_wherever_they_stand() -> None:
    add = KeyBinding(widget_id="list", key="a", description="Add")
    block = read_block({"kind": "stack", "children": [WIDGET, WIDGET]})

    assert bindings_of(block) == (add, KeyBinding(widget_id="list", key="d"))


@pytest.mark.parametrize(
    "raw", [{}, {"kind": "markdown", "text": " "}, {**WIDGET, "keybindings": [], "body": {}}]
)
def test_what_shows_nothing_is_empty(raw: dict[str, Any]) -> None:
    assert is_empty(read_block(raw))


@pytest.mark.parametrize(
    ("raw", "trouble"),
    [
        ({"kind": "chart"}, "kind has to be one of markdown, keyvalue, table, diff, progress"),
        ({"value": 1}, "kind has to be one of markdown"),
        ({"kind": "markdown"}, "a markdown has to have `text`, a string"),
        ({"kind": "keyvalue", "rows": [1]}, "a keyvalue has to have `rows`, a list of objects"),
        ({"kind": "table", "columns": []}, "a table has to have `columns` and `rows`, lists"),
        ({"kind": "diff", "text": None}, "a diff has to have `patch`, a string"),
        ({"kind": "progress", "value": "1"}, "a progress has to have `value`, a number"),
        ({"kind": "stack"}, "a stack has to have `children`, a list"),
        ({"kind": "widget", "widget_id": "w"}, "a widget has to have `widget_id`, a string"),
        ({**WIDGET, "body": {"kind": "diff"}}, "a diff has to have `patch`, a string"),
        ({"kind": "stack", "children": [{}, {"kind": "diff"}]}, "a diff has to have `patch`"),
        ({**WIDGET, "body": "x"}, "a block has to be an object"),
    ],
)
def test_of_what_shows_nothing_it_is_said_what_is_wrong(raw: dict[str, Any], trouble: str) -> None:
    assert (trouble_with(read_block(raw)) or "").startswith(trouble)


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"kind": "chart", "text": "one"},
        {"kind": "markdown", "text": ""},
        {**WIDGET, "body": {}},
        {**WIDGET, "body": None},
        {"kind": "stack", "children": [{"kind": "diff"}, {"kind": "progress", "value": 1}]},
    ],
)
def test_what_is_empty_on_purpose_or_shows_something_is_not_wrong(raw: dict[str, Any]) -> None:
    assert trouble_with(read_block(raw)) is None


def test_what_nests_too_deep_is_said() -> None:
    block: dict[str, Any] = {"kind": "markdown", "text": "x"}
    for _ in range(20):
        block = {"kind": "stack", "children": [block]}

    assert trouble_with(read_block(block)) == "blocks nest deeper than 8"


@given(JSON, st.integers(min_value=150, max_value=2000))
def test_whatever_a_plugin_sends_fits_and_leaves_no_fence_open(raw: Any, limit: int) -> None:
    text = shown(raw, limit)

    assert len(text) <= limit
    assert all(fence.end is not None for fence in find_fences(text))
    assert "@everyone" not in text


@given(st.sampled_from(["markdown", "diff", "plain"]), st.text(max_size=300))
def test_whatever_the_words_are_they_fit(kind: str, text: str) -> None:
    block = {"kind": kind, "text": text, "patch": text}

    assert len(shown({"kind": "stack", "children": [block] * 9}, 150)) <= 150


def test_however_much_a_plugin_sends_only_so_much_of_it_is_looked_at() -> None:
    seen: list[str] = []

    def look(text: str) -> str:
        seen.append(text)
        return text

    branch: Any = ["x" * 100_000] * 100
    for _ in range(3):
        branch = [branch] * 100
    changed = with_texts({"children": branch}, look)

    assert len(seen) < MOST_VALUES
    assert max(map(len, seen)) == 4000
    assert sum(map(len, seen)) == MOST_TEXT
    assert len(changed["children"]) == 100


def test_blocks_are_frozen_values() -> None:
    assert read_block({"kind": "markdown", "text": "a"}) == Markdown(text="a")
    assert read_block({"kind": "progress", "value": 1}) == Progress(value=1.0)
    assert read_block({"kind": "x", "text": "y"}) == Plain(text="y")
