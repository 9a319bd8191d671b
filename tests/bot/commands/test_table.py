import re

import pytest

from bot.commands.spec import CommandKind, CommandSpec, OptionKind
from bot.commands.table import COMMANDS, GROUPS

SLASH = [command for command in COMMANDS if command.kind is CommandKind.SLASH]
MENU = [command for command in COMMANDS if command.kind is CommandKind.MESSAGE]
NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")


def test_every_command_is_there_once() -> None:
    keys = [(command.kind, command.name) for command in COMMANDS]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("command", SLASH, ids=lambda command: command.name)
def test_discord_takes_the_names_and_descriptions_of_a_slash_command(command: CommandSpec) -> None:
    words = command.name.split(" ")
    assert len(words) <= 2
    assert all(NAME.fullmatch(word) for word in words)
    assert all(NAME.fullmatch(option.name) for option in command.options)
    for text in (command.description, *(option.description for option in command.options)):
        assert 1 <= len(text) <= 100


@pytest.mark.parametrize("command", SLASH, ids=lambda command: command.name)
def test_discord_takes_the_options_of_a_slash_command(command: CommandSpec) -> None:
    required = [option.required for option in command.options]
    assert len(required) <= 25
    assert required == sorted(required, reverse=True), "required ones come first"
    for option in command.options:
        assert len(option.choices) <= 25
        assert not (option.choices and option.completes), "either or"
        if option.kind is OptionKind.TEXT_CHANNEL:
            assert not option.choices
            assert option.completes is None


def test_a_group_has_a_description_and_is_no_command_itself() -> None:
    grouped = {command.name.split(" ")[0] for command in SLASH if " " in command.name}
    alone = {command.name for command in SLASH if " " not in command.name}
    assert grouped == set(GROUPS)
    assert grouped & alone == set()
    assert all(1 <= len(text) <= 100 for text in GROUPS.values())


def test_commands_in_menus_take_nothing_and_have_short_names() -> None:
    assert all(1 <= len(command.name) <= 32 and not command.options for command in MENU)
