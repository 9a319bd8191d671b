"""Slash commands: what Discord refuses of them, and what calling one sends. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.discord.errors import BadOptionError, UnknownCommandError, invalid_field
from simulator.discord.model import Json, items_of

_CHAT_INPUT = 1
_SUBCOMMAND, _GROUP, _STRING, _INTEGER, _BOOLEAN, _NUMBER = 1, 2, 3, 4, 5, 10
_NAME = re.compile(r"^[-_'\w]{1,32}$")
_DESCRIPTION_LENGTH = 100
_COMMANDS = 100
_GUILD_CONTEXT, _DIRECT_CONTEXT = 0, 1

OptionValue = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Something that autocomplete offers."""

    name: str
    value: OptionValue


@dataclass(frozen=True, slots=True, kw_only=True)
class _Callable:
    """A command or subcommand that can be called."""

    path: tuple[str, ...]
    command: Json
    """The registered command that it is part of."""
    options: Sequence[Json]
    """What it takes."""

    @property
    def name(self) -> str:
        return " ".join(self.path)


def check_commands(commands: Sequence[Json]) -> None:
    """Refuse what Discord refuses.

    Raises:
        ApiError: 50035, with the path of what is wrong.
    """
    if len(commands) > _COMMANDS:
        raise invalid_field("commands", "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length.")
    for index, command in enumerate(commands):
        if command.get("type", _CHAT_INPUT) == _CHAT_INPUT:
            _check_named(str(index), command)
    keys = [(command["name"], command.get("type", _CHAT_INPUT)) for command in commands]
    for index, key in enumerate(keys):
        if key in keys[:index]:
            raise invalid_field(
                f"{index}", "APPLICATION_COMMANDS_DUPLICATE_NAME", "Command name must be unique"
            )


def _check_named(path: str, item: Json) -> None:
    name = item.get("name") or ""
    if not _NAME.match(name) or name != name.lower():
        raise invalid_field(
            f"{path}.name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid"
        )
    if not 1 <= len(item.get("description") or "") <= _DESCRIPTION_LENGTH:
        raise invalid_field(
            f"{path}.description", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length."
        )
    options: list[Json] = items_of(item, "options")
    required = [bool(option.get("required")) for option in options]
    if required != sorted(required, reverse=True):
        raise invalid_field(
            f"{path}.options",
            "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
            "Required options must be placed before non-required options",
        )
    for index, option in enumerate(options):
        _check_named(f"{path}.options.{index}", option)


def command_names(commands: Sequence[Json]) -> list[str]:
    """Return what can be called, whole: `notify`, `jobs list`."""
    return [one.name for command in commands for one in _callables(command)]


def call_data(
    commands: Sequence[Json],
    name: str,
    options: Mapping[str, OptionValue],
    *,
    is_direct: bool = False,
) -> Json:
    """Return the data of the interaction that calling a command sends.

    Args:
        commands: What is registered.
        name: Which one, whole: `jobs list`.
        options: What the person fills in.
        is_direct: Whether it is called in direct messages.

    Raises:
        UnknownCommandError: If there is none of that name here.
        BadOptionError: If Discord would not let the person send it.
    """
    called = _find(commands, name, is_direct=is_direct)
    known = {option["name"]: option for option in called.options}
    for given in options:
        if given not in known:
            raise BadOptionError(called.name, given, "there is no such option")
    for option in called.options:
        if option.get("required") and option["name"] not in options:
            raise BadOptionError(called.name, option["name"], "it is required")
    values = [_filled(called.name, known[given], value) for given, value in options.items()]
    return _nested(called, values)


def autocomplete_data(
    commands: Sequence[Json], name: str, option: str, typed: str, *, is_direct: bool = False
) -> Json:
    """Return the data of the interaction that typing into an option sends.

    Raises:
        UnknownCommandError: If there is no such command here.
        BadOptionError: If that option does not complete.
    """
    called = _find(commands, name, is_direct=is_direct)
    for known in called.options:
        if known["name"] == option and known.get("autocomplete"):
            value = {"name": option, "type": known["type"], "value": typed, "focused": True}
            return _nested(called, [value])
    raise BadOptionError(called.name, option, "it does not complete")


def _find(commands: Sequence[Json], name: str, *, is_direct: bool) -> _Callable:
    context = _DIRECT_CONTEXT if is_direct else _GUILD_CONTEXT
    here = [command for command in commands if context in _contexts(command)]
    callables = [one for command in here for one in _callables(command)]
    for one in callables:
        if one.name == name:
            return one
    raise UnknownCommandError(name, [one.name for one in callables])


def _contexts(command: Json) -> Sequence[int]:
    contexts: Sequence[int] | None = command.get("contexts")
    if contexts is not None:
        return contexts
    if command.get("dm_permission") is False or command.get("guild_id"):
        return [_GUILD_CONTEXT]
    return [_GUILD_CONTEXT, _DIRECT_CONTEXT]


def _callables(command: Json) -> list[_Callable]:
    if command.get("type", _CHAT_INPUT) != _CHAT_INPUT:
        return []
    return _callables_in(command, (command["name"],), items_of(command, "options"))


def _callables_in(command: Json, path: tuple[str, ...], options: list[Json]) -> list[_Callable]:
    nested = [option for option in options if option["type"] in {_SUBCOMMAND, _GROUP}]
    if not nested:
        return [_Callable(path=path, command=command, options=options)]
    return [
        one
        for option in nested
        for one in _callables_in(command, (*path, option["name"]), items_of(option, "options"))
    ]


def _nested(called: _Callable, values: list[Json]) -> Json:
    """Wrap the values into a group and a subcommand, as deep as the path goes."""
    depth = len(called.path)
    for level in range(depth - 1, 0, -1):
        kind = _SUBCOMMAND if level == depth - 1 else _GROUP
        values = [{"type": kind, "name": called.path[level], "options": values}]
    data: Json = {
        "id": called.command["id"],
        "name": called.path[0],
        "type": _CHAT_INPUT,
        "options": values,
    }
    if guild_id := called.command.get("guild_id"):
        data["guild_id"] = guild_id
    return data


def _filled(command: str, option: Json, value: OptionValue) -> Json:
    fits = _FITS.get(option["type"])
    if fits is None or not fits(value):
        raise BadOptionError(command, option["name"], f"{value!r} is not of its type")
    choices = [choice["value"] for choice in items_of(option, "choices")]
    if choices and value not in choices:
        raise BadOptionError(command, option["name"], f"{value!r} is none of {choices}")
    if problem := _out_of_bounds(option, value):
        raise BadOptionError(command, option["name"], problem)
    return {"type": option["type"], "name": option["name"], "value": value}


_FITS: Mapping[int, Callable[[Any], bool]] = {
    _STRING: lambda value: isinstance(value, str),
    _INTEGER: lambda value: isinstance(value, int) and not isinstance(value, bool),
    _BOOLEAN: lambda value: isinstance(value, bool),
    _NUMBER: lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}


def _out_of_bounds(option: Json, value: OptionValue) -> str | None:
    if isinstance(value, str):
        measure, unit = float(len(value)), "_length"
    else:
        measure, unit = float(value), "_value"
    least, most = option.get(f"min{unit}"), option.get(f"max{unit}")
    if least is not None and measure < least:
        return f"less than {least}"
    if most is not None and measure > most:
        return f"more than {most}"
    return None
