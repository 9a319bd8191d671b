"""The slash commands, and what Discord is told of them. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_CHAT_INPUT = 1
_SUBCOMMAND = 1
_STRING = 3
_GUILD_INSTALL = 0
_GUILD_AND_BOT_DM = [0, 1]

OptionValue = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionSpec:
    """A text that a command takes."""

    name: str
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()
    """The values that it may have; empty means any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSpec:
    """A slash command."""

    name: str
    """Whole: `notify`, or a group and a command in it, as `jobs list`."""
    description: str
    options: tuple[OptionSpec, ...] = ()


COMMANDS = (
    CommandSpec(name="pickup", description="Open a conversation in this channel."),
    CommandSpec(name="hangup", description="End the conversation in this channel."),
    CommandSpec(name="status", description="Show what is running, and how Papercup is doing."),
    CommandSpec(name="cancel", description="Stop what is being answered in this channel."),
    CommandSpec(
        name="notify",
        description="Say whether a message is posted when a job has ended.",
        options=(
            OptionSpec(
                name="state",
                description="On or off; all: everyone's jobs, for the owner alone.",
                required=True,
                choices=("on", "off", "all"),
            ),
        ),
    ),
    CommandSpec(name="jobs list", description="List the newest background jobs."),
)

GROUPS: Mapping[str, str] = {"jobs": "Background jobs."}
"""What the groups of commands are for."""


def registration(
    commands: Sequence[CommandSpec], groups: Mapping[str, str], *, in_guild: bool
) -> list[dict[str, Any]]:
    """Return what Discord is told, so that people are offered `commands`.

    Args:
        commands: The commands.
        groups: The description of each group that they name.
        in_guild: Whether they are for one guild; Discord then takes no word on where they show.
    """
    told: dict[str, dict[str, Any]] = {}
    for command in commands:
        group, _, name = command.name.rpartition(" ")
        options = [_option(option) for option in command.options]
        if group:
            whole = told.setdefault(group, _top(group, groups[group], in_guild=in_guild))
            entry = {"type": _SUBCOMMAND, "name": name, "description": command.description}
            whole["options"].append({**entry, "options": options})
        else:
            told[name] = _top(name, command.description, in_guild=in_guild)
            told[name]["options"] = options
    return list(told.values())


def _top(name: str, description: str, *, in_guild: bool) -> dict[str, Any]:
    command: dict[str, Any] = {
        "type": _CHAT_INPUT,
        "name": name,
        "description": description,
        "options": [],
    }
    if not in_guild:
        command["integration_types"] = [_GUILD_INSTALL]
        command["contexts"] = _GUILD_AND_BOT_DM
    return command


def _option(option: OptionSpec) -> dict[str, Any]:
    return {
        "type": _STRING,
        "name": option.name,
        "description": option.description,
        "required": option.required,
        "choices": [{"name": choice, "value": choice} for choice in option.choices],
    }


def same_registration(
    wanted: Sequence[Mapping[str, Any]], registered: Sequence[Mapping[str, Any]]
) -> bool:
    """Say whether Discord already offers `wanted`; what it returns has more keys and no order."""
    by_name = {command["name"]: command for command in registered}
    return len(wanted) == len(registered) and all(
        command["name"] in by_name and _agree(command, by_name[command["name"]])
        for command in wanted
    )


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
        "type": command.get("type", _CHAT_INPUT),
        "name": command["name"],
        "description": command["description"],
        "required": bool(command.get("required")),
        "choices": [(choice["name"], choice["value"]) for choice in choices],
        "options": [_essence(option) for option in options],
    }


def called_command(data: Mapping[str, Any]) -> tuple[str, dict[str, OptionValue]]:
    """Return the whole name and the options of a command that somebody called.

    Args:
        data: The `data` of Discord's interaction.
    """
    name = str(data["name"])
    options: Sequence[Mapping[str, Any]] = data.get("options") or ()
    while options and "value" not in options[0]:
        name = f"{name} {options[0]['name']}"
        options = options[0].get("options") or ()
    return name, {str(option["name"]): option["value"] for option in options}
