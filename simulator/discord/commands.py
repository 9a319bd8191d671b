"""Commands: what can be called, and what calling one sends. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simulator.discord.command_rules import CHAT_INPUT, GROUP, SUBCOMMAND
from simulator.discord.errors import BadOptionError, UnknownCommandError
from simulator.discord.model import Json, items_of
from simulator.discord.option_values import OptionValue, on_the_wire, problem_with
from simulator.discord.permissions import ALL_PERMISSIONS, Permission

_GUILD_CONTEXT, _DIRECT_CONTEXT = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Something that autocomplete offers."""

    name: str
    value: str | int | float


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


def command_names(commands: Sequence[Json]) -> list[str]:
    """Return what can be called, whole: `notify`, `jobs list`, `Ask Papercup`."""
    return [one.name for command in commands for one in _callables(command, _kind(command))]


def call_data(
    commands: Sequence[Json],
    name: str,
    options: Mapping[str, OptionValue],
    *,
    is_direct: bool = False,
    permissions: int = ALL_PERMISSIONS,
) -> Json:
    """Return the data of the interaction that calling a command sends.

    Args:
        commands: What is registered.
        name: Which one, whole: `jobs list`.
        options: What the person fills in.
        is_direct: Whether it is called in direct messages.
        permissions: What the person may do there; some commands are shown only to a few.

    Raises:
        UnknownCommandError: If there is none of that name here.
        BadOptionError: If Discord would not let the person send it.
    """
    called = _find(_offered(commands, is_direct=is_direct, permissions=permissions), name)
    known = {option["name"]: option for option in called.options}
    for given in options:
        if given not in known:
            raise BadOptionError(called.name, given, "there is no such option")
    for option in called.options:
        if option.get("required") and option["name"] not in options:
            raise BadOptionError(called.name, option["name"], "it is required")
    values = [_filled(called.name, known[given], value) for given, value in options.items()]
    return _nested(called, values)


def menu_data(
    commands: Sequence[Json],
    name: str,
    kind: int,
    target_id: int,
    *,
    is_direct: bool = False,
    permissions: int = ALL_PERMISSIONS,
) -> Json:
    """Return the data of the interaction that a command in a menu sends.

    Args:
        commands: What is registered.
        name: Which one: `Ask Papercup`.
        kind: In whose menu: a person's or a message's, as on the wire.
        target_id: Which person or message.
        is_direct: Whether it is called in direct messages.
        permissions: What the person may do there.

    Raises:
        UnknownCommandError: If there is none of that name in that menu.
    """
    offered = _offered(commands, is_direct=is_direct, permissions=permissions)
    data = _nested(_find(offered, name, kind), [])
    del data["options"]
    return data | {"type": kind, "target_id": str(target_id)}


def autocomplete_data(
    commands: Sequence[Json],
    name: str,
    option: str,
    typed: str,
    *,
    filled: Mapping[str, OptionValue] | None = None,
    is_direct: bool = False,
    permissions: int = ALL_PERMISSIONS,
) -> Json:
    """Return the data of the interaction that typing into an option sends.

    Args:
        commands: What is registered.
        name: Which one, whole: `jobs show`.
        option: Into which option it is typed.
        typed: What stands there so far.
        filled: What the other options hold already.
        is_direct: Whether it is typed in direct messages.
        permissions: What the person may do there.

    Raises:
        UnknownCommandError: If there is no such command here.
        BadOptionError: If that option does not complete.
    """
    called = _find(_offered(commands, is_direct=is_direct, permissions=permissions), name)
    others = {one["name"]: one for one in called.options if one["name"] in (filled or {})}
    values = [_filled(called.name, others[key], (filled or {})[key]) for key in others]
    for known in called.options:
        if known["name"] == option and known.get("autocomplete"):
            value = {"name": option, "type": known["type"], "value": typed, "focused": True}
            return _nested(called, [*values, value])
    raise BadOptionError(called.name, option, "it does not complete")


def focused_option(data: Json) -> Json:
    """Return the option into which is typed, in the data of such an interaction."""
    options: list[Json] = items_of(data, "options")
    for option in options:
        if option.get("focused"):
            return option
        if found := focused_option(option):
            return found
    return {}


def _offered(commands: Sequence[Json], *, is_direct: bool, permissions: int) -> list[Json]:
    context = _DIRECT_CONTEXT if is_direct else _GUILD_CONTEXT
    here = [command for command in commands if context in _contexts(command)]
    return here if is_direct else [one for one in here if _is_shown(one, permissions)]


def _is_shown(command: Json, permissions: int) -> bool:
    needed = command.get("default_member_permissions")
    if needed is None:
        return True
    # "0" shows it to administrators alone.
    wanted = int(needed) or int(Permission.ADMINISTRATOR)
    return bool(permissions & Permission.ADMINISTRATOR) or permissions & wanted == wanted


def _find(commands: Sequence[Json], name: str, kind: int = CHAT_INPUT) -> _Callable:
    callables = [one for command in commands for one in _callables(command, kind)]
    for one in callables:
        if one.name == name:
            return one
    raise UnknownCommandError(name, [one.name for one in callables])


def _kind(command: Json) -> int:
    return command.get("type") or CHAT_INPUT


def _contexts(command: Json) -> Sequence[int]:
    contexts: Sequence[int] | None = command.get("contexts")
    if contexts is not None:
        return contexts
    if command.get("dm_permission") is False or command.get("guild_id"):
        return [_GUILD_CONTEXT]
    return [_GUILD_CONTEXT, _DIRECT_CONTEXT]


def _callables(command: Json, kind: int) -> list[_Callable]:
    if _kind(command) != kind:
        return []
    return _callables_in(command, (command["name"],), items_of(command, "options"))


def _callables_in(command: Json, path: tuple[str, ...], options: list[Json]) -> list[_Callable]:
    nested = [option for option in options if option["type"] in {SUBCOMMAND, GROUP}]
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
        kind = SUBCOMMAND if level == depth - 1 else GROUP
        values = [{"type": kind, "name": called.path[level], "options": values}]
    data: Json = {
        "id": called.command["id"],
        "name": called.path[0],
        "type": CHAT_INPUT,
        "options": values,
    }
    if guild_id := called.command.get("guild_id"):
        data["guild_id"] = guild_id
    return data


def _filled(command: str, option: Json, value: OptionValue) -> Json:
    if problem := problem_with(option, value):
        raise BadOptionError(command, option["name"], problem)
    return {"type": option["type"], "name": option["name"], "value": on_the_wire(value)}
