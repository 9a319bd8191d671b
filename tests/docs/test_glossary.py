"""One word for one thing, as the glossary says."""

import re
from collections.abc import Iterator

import pytest
import typer

from bot.cli.main import app
from bot.commands.table import COMMANDS
from tests.docs.pages import ROOT, page, pages


def _rows() -> list[tuple[str, ...]]:
    lines = page("docs/glossary.md").text.splitlines()
    cells = [line.strip("|").split("|") for line in lines if line.startswith("|")]
    return [tuple(cell.strip() for cell in row) for row in cells[2:]]


def _texts() -> Iterator[tuple[str, str]]:
    """Yield each text that users read, without code, under its name."""
    for document in pages():
        if document.name != "docs/glossary.md":
            yield document.name, document.prose
    yield "config.example.toml", _without_code((ROOT / "config.example.toml").read_text())
    for prompt in ("bot/speaker/prompt.md", "bot/speaker/prompt_spoken.md"):
        yield prompt, _without_code((ROOT / prompt).read_text())
    for command in COMMANDS:
        options = " ".join(option.description for option in command.options)
        yield f"/{command.name}", f"{command.description} {options}"
    top = typer.main.get_command(app)
    yield "papercup --help", top.get_help(typer.Context(top))


def _without_code(text: str) -> str:
    return re.sub(r"`[^`]*`", "", text)


TEXTS = dict(_texts())


def test_every_word_is_explained_once() -> None:
    words = [word for word, *_ in _rows()]
    assert len(words) > 1
    assert len(words) == len(set(words))
    assert all(meaning for _, meaning, _ in _rows())


@pytest.mark.parametrize("name", TEXTS)
def test_nothing_that_users_read_says_a_thing_by_another_word(name: str) -> None:
    others = {other for *_, cell in _rows() for other in cell.split(", ") if other}
    assert others
    said = {
        other
        for other in others
        # Names of others' programs hold such words, too: claude-agent-sdk.
        if re.search(rf"(?<![\w/-]){re.escape(other)}s?(?![\w/-])", TEXTS[name], re.IGNORECASE)
    }
    assert said == set()
