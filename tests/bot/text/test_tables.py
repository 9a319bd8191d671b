from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.text.tables import columns_of, with_readable_tables


def shown(text: str) -> str:
    return with_readable_tables(dedent(text).strip())


def written(text: str) -> str:
    return dedent(text).strip()


def test_a_narrow_table_becomes_a_block_with_aligned_columns() -> None:
    assert shown("""
        | Name | Age | Town |
        |:-----|----:|:----:|
        | Ann | 12 | Ulm |
        | Robert | 7 | Rheinfelden |
    """) == written("""
        ```
        Name    Age     Town
        ──────  ───  ───────────
        Ann      12      Ulm
        Robert    7  Rheinfelden
        ```
    """)


def test_a_table_may_have_no_frame_and_stand_among_other_lines() -> None:
    assert shown("""
        Look:
        a | b
        --- | ---
        1 | 2

        That was it.
    """) == written("""
        Look:
        ```
        a  b
        ─  ─
        1  2
        ```

        That was it.
    """)


def test_a_wide_table_becomes_a_list_with_an_entry_for_each_row() -> None:
    assert shown(f"""
        | Name | What it is for |
        |------|----------------|
        | **first** | {"some words " * 6}|
        | second | |
    """) == written(f"""
        - **Name**: **first**
          **What it is for**: {("some words " * 6).strip()}
        - **Name**: second
    """)


def test_a_table_with_links_becomes_a_list_where_they_can_be_followed() -> None:
    assert shown("""
        | Name | Page |
        |------|------|
        | a | [docs](https://example.org) |
    """) == written("""
        - **Name**: a
          **Page**: [docs](https://example.org)
    """)


def test_the_headers_of_a_wide_table_are_kept_where_nothing_stands_below_them() -> None:
    header, words = f"| {'some words ' * 6} | b |", ("some words " * 6).strip()
    assert with_readable_tables(f"{header}\n|---|---|") == f"**{words}** · **b**"
    assert with_readable_tables(f"{header}\n|---|---|\n| x | |\n| | |\n| y |") == (
        f"- **{words}**: x\n  **b**: -\n- **b**: -\n- **{words}**: y\n  **b**: -"
    )


def test_rows_may_have_too_few_cells_or_too_many() -> None:
    assert shown("""
        | a | b |
        |---|---|
        | 1 |
        | 1 | 2 | 3 |
    """) == written("""
        ```
        a  b
        ─  ─  ─
        1
        1  2  3
        ```
    """)


def test_a_pipe_that_is_escaped_parts_no_cells() -> None:
    assert shown("""
        | a | b |
        |---|---|
        | x \\| y | `p \\| q` |
    """) == written("""
        ```
        a      b
        ─────  ─────
        x | y  p | q
        ```
    """)


def test_what_would_format_words_is_left_out_of_a_block_but_not_what_is_code() -> None:
    assert shown("""
        | **a** | b |
        |---|---|
        | _x_ and ~~**y**~~ | `**kwargs` |
        | snake_case_name | 2 * 3 * 4<br>&amp; \\*more\\* |
    """) == written("""
        ```
        a                b
        ───────────────  ───────────────────
        x and y          **kwargs
        snake_case_name  2 * 3 * 4 / & *more*
        ```
    """).replace("─" * 19, "─" * 20)


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    assert [columns_of(text) for text in ("abc", "名前", "e\u0301", "✅", "a\u200db")] == [
        3,
        4,
        1,
        2,
        2,
    ]
    assert shown("""
        | 名前 | b |
        |---|---|
        | a | 1 |
    """) == written("""
        ```
        名前  b
        ────  ─
        a     1
        ```
    """)


def test_a_table_within_a_fence_is_left_alone() -> None:
    text = "```md\n| a | b |\n|---|---|\n| 1 | 2 |\n```"
    assert with_readable_tables(text) == text


def test_backticks_in_a_cell_do_not_end_the_block() -> None:
    assert with_readable_tables("| a |\n|---|\n| \\`\\`\\` |").count("```") == 2


@pytest.mark.parametrize(
    "text",
    ["a | b", "a | b\nc | d", "| a | b |", "Or so:\n---", "a || b\nnot --- | one", "- [ ] | x"],
)
def test_what_is_no_table_is_left_alone(text: str) -> None:
    assert with_readable_tables(text) == text


def test_a_table_that_is_being_written_is_one_from_the_line_below_its_headers_on() -> None:
    assert with_readable_tables("| a | b |\n") == "| a | b |\n"
    assert with_readable_tables("| a | b |\n|--") == "```\na  b\n─  ─\n```"


def test_a_row_that_is_being_written_stands_below_the_table() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    assert with_readable_tables(f"{table}| 3 | [x](htt") == (
        "```\na  b\n─  ─\n1  2\n```\n| 3 | [x](htt"
    )
    assert with_readable_tables(f"{table}| 3 | 4 |") == "```\na  b\n─  ─\n1  2\n3  4\n```"


_cells = st.text(st.sampled_from("ab名*_`\\ .é✅"), max_size=30).filter(
    lambda cell: "```" not in cell
)
_rows = st.lists(_cells, min_size=1, max_size=5).map(lambda cells: f"| {' | '.join(cells)} |")
_tables = st.lists(_rows, min_size=1, max_size=6).map(
    lambda rows: "\n".join([rows[0], "|---|", *rows[1:]])
)


@settings(max_examples=200)
@given(_tables)
def test_a_block_is_never_wider_than_may_be_and_is_always_closed(table: str) -> None:
    readable = with_readable_tables(table, widest=40)
    if readable.startswith("```"):
        assert max(map(columns_of, readable.split("\n"))) <= 40
    assert readable.count("```") % 2 == 0


@settings(max_examples=200)
@given(_tables)
def test_no_letter_of_a_table_is_lost(table: str) -> None:
    readable = with_readable_tables(table)
    for letter in "b名é✅":
        # A list repeats the headers in each row.
        assert readable.count(letter) >= table.count(letter) or readable.startswith("- ")
    assert set(readable) >= set(table) & set("b名é✅") or "**" in readable


@settings(max_examples=200)
@given(_tables)
def test_a_table_that_is_written_row_by_row_becomes_a_list_at_most_once(table: str) -> None:
    lines = table.split("\n")
    looks = [
        with_readable_tables("\n".join(lines[:count])).startswith("```")
        for count in range(2, len(lines) + 1)
    ]
    assert looks == sorted(looks, reverse=True)
