"""The page on authorisation shows the table that is in force."""

import re

from bot.access import TABLE, Action, Reach, Standing
from tests.docs.pages import page


def _rows(first_column: str) -> list[list[str]]:
    text = page("docs/authorisation.md").text
    (table,) = re.findall(rf"(?:^\| {first_column} \|.*\n)(?:^\|.*\n)+", text, re.MULTILINE)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return [rows[0], *rows[2:]]


def test_the_page_shows_every_cell_of_the_table() -> None:
    head, *rows = _rows("action")
    standings = [Standing(name) for name in head[1:]]
    shown = {
        Action(name.replace(" ", "_")): dict(zip(standings, map(Reach, cells), strict=True))
        for name, *cells in rows
    }
    assert shown == TABLE
    assert list(shown) == list(TABLE)


def test_the_page_says_who_is_what() -> None:
    _, *rows = _rows("standing")
    assert [name for name, _ in rows] == [
        standing for standing in Standing if standing is not Standing.AUTOMATON
    ]


def test_the_page_explains_every_action() -> None:
    explained = re.findall(r"\*\*([a-z ]+)\*\*:", page("docs/authorisation.md").text)
    assert {action.replace("_", " ") for action in Action} - set(explained) <= {
        "see job",
        "cancel job",
    }
