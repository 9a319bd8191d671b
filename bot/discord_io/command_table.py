"""The commands as Discord is told of them, and as it tells of a call. Pure."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.commands.locales import descriptions_of
from bot.commands.spec import CommandKind, CommandSpec, OptionKind, OptionSpec
from bot.conversation.incoming import OptionValue
from bot.discord_io.errors import TooManyCommandsError

CHAT_INPUT = 1
MESSAGE = 3
_SUBCOMMAND = 1
_STRING = 3
_CHANNEL = 7
_TEXT_CHANNELS = [0, 5]
"""Ordinary ones, and those for announcements."""
_GUILD_INSTALL = 0
_GUILD_AND_BOT_DM = [0, 1]

MOST_COMMANDS: Mapping[int, int] = {CHAT_INPUT: 100, MESSAGE: 15}
"""How many Discord takes of each kind."""
_KINDS: Mapping[int, str] = {CHAT_INPUT: "slash commands", MESSAGE: "commands in message menus"}

Registration = list[dict[str, Any]]
"""What Discord is told, one entry for each command or group."""


def registration(
    commands: Sequence[CommandSpec], groups: Mapping[str, str], *, in_guild: bool
) -> Registration:
    """Return what Discord is told, so that people are offered `commands`.

    Args:
        commands: The commands.
        groups: The description of each group that they name.
        in_guild: Whether they are for one guild; Discord then takes no word on where they show.
    """
    told: dict[tuple[str, int], dict[str, Any]] = {}
    for command in commands:
        if command.kind is CommandKind.MESSAGE:
            told[command.name, MESSAGE] = _in_menu(command, in_guild=in_guild)
            continue
        group, _, name = command.name.rpartition(" ")
        if group:
            whole = told.setdefault(
                (group, CHAT_INPUT), _group(group, groups[group], in_guild=in_guild)
            )
            whole["options"].append({"type": _SUBCOMMAND, "name": name, **_described(command)})
        else:
            kind = _kind(CHAT_INPUT, in_guild=in_guild)
            told[name, CHAT_INPUT] = {**kind, "name": name, **_described(command)}
    return list(told.values())


def check_number(told: Registration) -> None:
    """Do nothing, if Discord takes as many commands.

    Raises:
        TooManyCommandsError: If there are more of one kind than it takes.
    """
    for kind, most in MOST_COMMANDS.items():
        number = sum(command["type"] == kind for command in told)
        if number > most:
            raise TooManyCommandsError(_KINDS[kind], number, most)


def digest_of(told: Registration) -> str:
    """Return by what it is known again whether Discord was told the same."""
    text = json.dumps(told, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _kind(number: int, *, in_guild: bool) -> dict[str, Any]:
    if in_guild:
        return {"type": number}
    return {
        "type": number,
        "integration_types": [_GUILD_INSTALL],
        "contexts": _GUILD_AND_BOT_DM,
    }


def _in_menu(command: CommandSpec, *, in_guild: bool) -> dict[str, Any]:
    # Discord refuses a description of these.
    return {**_kind(MESSAGE, in_guild=in_guild), "name": command.name, "description": ""}


def _group(name: str, description: str, *, in_guild: bool) -> dict[str, Any]:
    return {
        **_kind(CHAT_INPUT, in_guild=in_guild),
        "name": name,
        "description": description,
        "description_localizations": descriptions_of(name),
        "options": [],
    }


def _described(command: CommandSpec) -> dict[str, Any]:
    return {
        "description": command.description,
        "description_localizations": descriptions_of(command.name),
        "options": [_option(command, option) for option in command.options],
    }


def _option(command: CommandSpec, option: OptionSpec) -> dict[str, Any]:
    told: dict[str, Any] = {
        "type": _CHANNEL if option.kind is OptionKind.TEXT_CHANNEL else _STRING,
        "name": option.name,
        "description": option.description,
        "description_localizations": descriptions_of(command.name, option.name),
        "required": option.required,
    }
    if option.kind is OptionKind.TEXT_CHANNEL:
        return told | {"channel_types": _TEXT_CHANNELS}
    if option.choices:
        told["choices"] = [{"name": choice, "value": choice} for choice in option.choices]
    if option.completes is not None:
        told["autocomplete"] = True
    if option.longest is not None:
        told["max_length"] = option.longest
    return told


def same_registration(wanted: Registration, registered: Registration) -> bool:
    """Say whether Discord already offers `wanted`; what it returns has more keys and no order."""
    by_key = {_key(command): command for command in registered}
    return len(wanted) == len(registered) and all(
        _key(command) in by_key and _agree(command, by_key[_key(command)]) for command in wanted
    )


def _key(command: Mapping[str, Any]) -> tuple[str, int]:
    return command["name"], command.get("type", CHAT_INPUT)


def _agree(wanted: Mapping[str, Any], registered: Mapping[str, Any]) -> bool:
    shown_alike = "contexts" not in wanted or _shown(wanted) == _shown(registered)
    return shown_alike and _essence(wanted) == _essence(registered)


def _shown(command: Mapping[str, Any]) -> tuple[list[int], ...]:
    return tuple(sorted(command.get(key) or []) for key in ("contexts", "integration_types"))


def _essence(command: Mapping[str, Any]) -> dict[str, Any]:
    """Return what people see of a command, or of an option of one."""
    options: Sequence[Mapping[str, Any]] = command.get("options") or ()
    choices: Sequence[Mapping[str, Any]] = command.get("choices") or ()
    return {
        "type": command.get("type", CHAT_INPUT),
        "name": command["name"],
        "description": command["description"],
        "localised": dict(command.get("description_localizations") or {}),
        "required": bool(command.get("required")),
        "completes": bool(command.get("autocomplete")),
        "channels": sorted(command.get("channel_types") or ()),
        "longest": command.get("max_length"),
        "choices": [(choice["name"], choice["value"]) for choice in choices],
        "options": [_essence(option) for option in options],
    }


def called_command(data: Mapping[str, Any]) -> tuple[str, dict[str, OptionValue]]:
    """Return the whole name and the options of a command that somebody called.

    Args:
        data: The `data` of Discord's interaction.
    """
    name, options = _called(data)
    return name, {str(option["name"]): option["value"] for option in options}


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedOption:
    """An option of a command that is being typed."""

    command: str
    """Whole."""
    option: str
    typed: str
    given: Mapping[str, OptionValue]
    """The other options that are filled in."""


def typed_option(data: Mapping[str, Any]) -> TypedOption:
    """Return which option of which command is being typed.

    Args:
        data: The `data` of Discord's interaction.

    Raises:
        ValueError: If none is being typed.
    """
    name, options = _called(data)
    for option in options:
        if option.get("focused"):
            others = (other for other in options if other is not option)
            return TypedOption(
                command=name,
                option=str(option["name"]),
                typed=str(option["value"]),
                given={str(other["name"]): other["value"] for other in others},
            )
    raise ValueError(f"no option of /{name} is being typed")


def _called(data: Mapping[str, Any]) -> tuple[str, list[Mapping[str, Any]]]:
    words = list(_words(data))
    innermost = words[-1]
    return " ".join(str(word["name"]) for word in words), list(innermost.get("options") or ())


def _words(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield data
    options: Sequence[Mapping[str, Any]] = data.get("options") or ()
    if options and "value" not in options[0]:
        yield from _words(options[0])
