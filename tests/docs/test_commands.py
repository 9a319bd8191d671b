"""The commands that the documents name are those that there are."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import discord
import pytest
import typer
from typer.core import TyperGroup

from bot.cli.main import app
from bot.commands.spec import CommandKind
from bot.commands.table import COMMANDS
from bot.config_keys import known_keys, known_sections
from tests.docs.pages import ROOT, Page, page, pages

DEMO = "pip install uv && uv run papercup demo"
TESTS = "pip install uv && uv run pytest"


@pytest.mark.parametrize("command", [DEMO, TESTS])
def test_the_readme_gives_each_of_the_two_commands_on_a_line_of_its_own(command: str) -> None:
    lines = [line for block in page("README.md").blocks for line in block.splitlines()]
    assert lines.count(command) == 1


def test_the_gate_runs_the_tests_as_the_readme_says() -> None:
    gate = (ROOT / ".ci" / "run").read_text()
    install, test = TESTS.split(" && ")
    assert re.search(rf"^[^#]*\b{install}\b", gate, re.MULTILINE)
    assert re.search(rf"^check tests +{test}$", gate, re.MULTILINE)


@pytest.mark.parametrize("document", pages(), ids=lambda document: document.name)
def test_every_papercup_command_and_option_in_a_document_exists(document: Page) -> None:
    for words in document.commands:
        if words[:2] == ["uv", "run"]:
            words = words[2:]  # noqa: PLW2901 - what it runs
        if words[:1] == ["papercup"]:
            _check_papercup(words[1:])


def test_the_readme_names_every_papercup_command() -> None:
    named = {" ".join(words) for words in page("README.md").commands}
    assert _papercup_commands() - named == set()


def test_the_readme_names_every_option_of_a_papercup_command() -> None:
    top = typer.main.get_command(app)
    options = {option for _, command in _walk(top) for option in _options(command)}
    written = {word for words in page("README.md").commands for word in words}
    assert options - written == set()


def test_the_readme_names_every_slash_command_and_no_other() -> None:
    codes = [code for code in page("README.md").codes if code.startswith("/")]
    named = {re.sub(r" \w+:\w+", "", code).removeprefix("/") for code in codes}
    assert named == {command.name for command in COMMANDS if command.kind is CommandKind.SLASH}


def test_the_readme_names_every_command_in_the_menu_of_a_message() -> None:
    in_menus = [command.name for command in COMMANDS if command.kind is CommandKind.MESSAGE]
    assert [name for name in in_menus if f"*{name}*" not in page("README.md").text] == []


def test_every_option_of_a_slash_command_in_the_readme_is_one_that_discord_offers() -> None:
    offered = {
        f"/{command.name} {option.name}:{choice}"
        for command in COMMANDS
        for option in command.options
        for choice in option.choices
    }
    named = {code for code in page("README.md").codes if code.startswith("/") and ":" in code}
    assert named <= offered


def test_the_invitation_asks_for_the_permissions_that_the_readme_lists() -> None:
    text = " ".join(page("README.md").text.split())
    listed = re.search(r"That number stands for: ([^.]+)\.", text)
    invited = re.search(r"permissions=(\d+)", text)
    assert listed is not None
    assert invited is not None
    names = {name.replace("channels", "channel") for name in listed[1].split(", ")}
    wanted = {name.replace(" ", "_"): True for name in names}
    assert discord.Permissions(**wanted).value == int(invited[1])


@pytest.mark.parametrize("document", pages(), ids=lambda document: document.name)
def test_every_key_of_the_configuration_in_a_document_is_known(document: Page) -> None:
    sections = "|".join(known_sections())
    for code in document.codes:
        if re.fullmatch(rf"({sections})\.[a-z_]+( = .+)?", code) and code != "discord.py":
            path, *values = code.split(" = ")
            assert path in known_keys()
            for value in values:
                known_keys()[path].read_value(tomllib.loads(f"value = {value}")["value"])
        if match := re.fullmatch(r"(PAPERCUP_\w+__\w+)(=(.+))?", code):
            (key,) = [key for key in known_keys().values() if key.variable == match[1]]
            if match[3]:
                key.read_text(match[3])


@pytest.mark.parametrize("document", pages(), ids=lambda document: document.name)
def test_every_just_recipe_in_a_document_exists(document: Page) -> None:
    lines = (ROOT / "justfile").read_text().splitlines()
    recipes = {line.split()[0].rstrip(":") for line in lines if re.match(r"[a-z]", line)}
    named = {words[1] for words in document.commands if words[:1] == ["just"] and words[1:]}
    assert named - recipes == set()


def _check_papercup(words: list[str]) -> None:
    command: Any = typer.main.get_command(app)
    for word in words:
        if isinstance(command, TyperGroup):
            assert word in command.commands, f"papercup {' '.join(words)}"
            command = command.commands[word]
        elif word.startswith("-"):
            assert word in _options(command), f"papercup {' '.join(words)}"


def _papercup_commands() -> set[str]:
    return {f"papercup {name}" for name, _ in _walk(typer.main.get_command(app))}


def _walk(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each command that does something, with its name after `papercup`."""
    if not isinstance(command, TyperGroup):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from _walk(inner, f"{path} {name}".strip())


def _options(command: Any) -> set[str]:
    return {
        name
        for option in command.params
        for name in (*option.opts, *option.secondary_opts)
        if name.startswith("--") and not name.startswith("--no-")
    }
