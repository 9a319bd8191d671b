"""What Discord refuses of commands that are to be registered. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simulator.discord.errors import check_length, invalid_field
from simulator.discord.model import Json, items_of

CHAT_INPUT, USER_MENU, MESSAGE_MENU = 1, 2, 3
SUBCOMMAND, GROUP, STRING, INTEGER, BOOLEAN = 1, 2, 3, 4, 5
USER, CHANNEL, ROLE, MENTIONABLE, NUMBER, ATTACHMENT = 6, 7, 8, 9, 10, 11
COMMANDS = {CHAT_INPUT: 100, USER_MENU: 15, MESSAGE_MENU: 15}
"""How many there may be of each type."""
OPTIONS = 25
CHOICES = 25
NAME_LENGTH = 32
DESCRIPTION_LENGTH = 100
CHOICE_LENGTH = 100
COMMAND_LENGTH = 8000
_LOCALES = (
    "ar bg cs da de el en-GB en-US es-419 es-ES fi fr he hi hr hu id it ja ko lt nl no pl"
    " pt-BR ro ru sv-SE th tr uk vi zh-CN zh-TW"
)
LOCALES = frozenset(_LOCALES.split())
_NAME = re.compile(r"^[-_'\w]{1,32}$")
_COMPLETED = frozenset({STRING, INTEGER, NUMBER})
FITS: Mapping[int, Callable[[Any], bool]] = {
    STRING: lambda value: isinstance(value, str),
    INTEGER: lambda value: isinstance(value, int) and not isinstance(value, bool),
    BOOLEAN: lambda value: isinstance(value, bool),
    NUMBER: lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
"""What the value of an option may be, where it is no id."""


def check_commands(commands: Sequence[Json]) -> None:
    """Refuse what Discord refuses.

    Raises:
        ApiError: 50035, with the path of what is wrong.
    """
    for kind, most in COMMANDS.items():
        if sum(_kind(command) == kind for command in commands) > most:
            message = f"Must be {most} or fewer in length."
            raise invalid_field("commands", "BASE_TYPE_MAX_LENGTH", message)
    keys = [(command.get("name"), _kind(command)) for command in commands]
    for index, command in enumerate(commands):
        check_command(str(index), command)
        if keys[index] in keys[:index]:
            raise invalid_field(
                f"{index}", "APPLICATION_COMMANDS_DUPLICATE_NAME", "Command name must be unique"
            )


def check_command(path: str, command: Json) -> None:
    """Refuse a command that Discord refuses; `path` is where it stands in the request.

    Raises:
        ApiError: 50035, with the path of what is wrong.
    """
    if _kind(command) not in COMMANDS:
        raise invalid_field(f"{path}.type", "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3}.")
    if _kind(command) != CHAT_INPUT:
        _check_menu_command(path, command)
        return
    _check_named(path, command)
    if _length(command) > COMMAND_LENGTH:
        message = f"Command exceeds maximum size ({COMMAND_LENGTH})"
        raise invalid_field(path, "APPLICATION_COMMAND_TOO_LARGE", message)


def _kind(command: Json) -> int:
    return command.get("type") or CHAT_INPUT


def _check_menu_command(path: str, command: Json) -> None:
    check_length(f"{path}.name", command.get("name"), 1, NAME_LENGTH)
    _check_localized(path, command, "name", NAME_LENGTH)
    if command.get("description"):
        message = "Context menu commands cannot have description"
        raise invalid_field(
            f"{path}.description", "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION", message
        )
    if items_of(command, "options"):
        message = "Context menu commands cannot have options"
        raise invalid_field(f"{path}.options", "APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS", message)


def _check_named(path: str, item: Json) -> None:
    localized: Json = item.get("name_localizations") or {}
    names: list[str] = [item.get("name") or "", *localized.values()]
    for name in names:
        if not _NAME.match(name) or name != name.lower():
            raise invalid_field(
                f"{path}.name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid"
            )
    check_length(f"{path}.description", item.get("description"), 1, DESCRIPTION_LENGTH)
    _check_localized(path, item, "name", NAME_LENGTH)
    _check_localized(path, item, "description", DESCRIPTION_LENGTH)
    _check_options(f"{path}.options", items_of(item, "options"))


def _check_localized(path: str, item: Json, key: str, longest: int) -> None:
    localized: Json = item.get(f"{key}_localizations") or {}
    for locale, text in localized.items():
        where = f"{path}.{key}_localizations.{locale}"
        if locale not in LOCALES:
            raise invalid_field(where, "BASE_TYPE_CHOICES", "Value must be a known locale.")
        check_length(where, text, 1, longest)


def _check_options(path: str, options: Sequence[Json]) -> None:
    if len(options) > OPTIONS:
        raise invalid_field(path, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
    nested = [option.get("type") in {SUBCOMMAND, GROUP} for option in options]
    if any(nested) and not all(nested):
        raise invalid_field(
            path, "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-commands stand alone"
        )
    names = [option.get("name") for option in options]
    if len(names) != len(set(names)):
        raise invalid_field(
            path, "APPLICATION_COMMAND_OPTIONS_NAME_INVALID", "Option name already used"
        )
    required = [bool(option.get("required")) for option in options]
    if required != sorted(required, reverse=True):
        raise invalid_field(
            path,
            "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
            "Required options must be placed before non-required options",
        )
    for index, option in enumerate(options):
        _check_option(f"{path}.{index}", option)


def _check_option(path: str, option: Json) -> None:
    kind: int = option.get("type") or 0
    if kind not in range(SUBCOMMAND, ATTACHMENT + 1):
        raise invalid_field(f"{path}.type", "BASE_TYPE_CHOICES", "Value is no type of option.")
    _check_named(path, option)
    choices = items_of(option, "choices")
    if option.get("autocomplete") and (choices or kind not in _COMPLETED):
        raise invalid_field(
            f"{path}.autocomplete",
            "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID",
            "Not with choices, and for texts and numbers alone",
        )
    check_choices(f"{path}.choices", choices, kind)


def check_choices(path: str, choices: Sequence[Json], kind: int) -> None:
    """Refuse choices for an option that Discord refuses.

    Raises:
        ApiError: 50035, with the path of what is wrong.
    """
    if len(choices) > CHOICES:
        raise invalid_field(path, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
    names = [choice.get("name") for choice in choices]
    if len(names) != len(set(names)):
        raise invalid_field(
            path, "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_EXISTS", "Option choice name exists"
        )
    for index, choice in enumerate(choices):
        check_length(f"{path}.{index}.name", choice.get("name"), 1, CHOICE_LENGTH)
        _check_localized(f"{path}.{index}", choice, "name", CHOICE_LENGTH)
        fits, value = FITS.get(kind), choice.get("value")
        if fits is None or not fits(value):
            raise invalid_field(f"{path}.{index}.value", "BASE_TYPE_BAD_TYPE", "Is of no such type")
        if isinstance(value, str):
            check_length(f"{path}.{index}.value", value, 1, CHOICE_LENGTH)


def _length(item: Json) -> int:
    """Count as Discord does: names, descriptions and values, of each the longest translation."""
    own = _longest(item, "name") + _longest(item, "description")
    choices = sum(
        _longest(choice, "name") + len(str(choice.get("value")))
        for choice in items_of(item, "choices")
    )
    return own + choices + sum(_length(option) for option in items_of(item, "options"))


def _longest(item: Json, key: str) -> int:
    localized: Json = item.get(f"{key}_localizations") or {}
    return max(len(text or "") for text in (item.get(key), *localized.values()))
