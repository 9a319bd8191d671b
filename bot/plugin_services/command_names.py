"""How the commands of plugins are called on Discord. Pure."""

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

LONGEST_NAME = 32
"""Of a command on Discord."""

_HASH_LENGTH = 4
_UNUSABLE = re.compile(r"[^a-z0-9_-]+")


@dataclass(frozen=True, slots=True, order=True)
class CommandKey:
    """By what a command of a plugin is known."""

    plugin_id: str
    name: str
    """As the plugin calls it, without the slash."""

    def __str__(self) -> str:
        return f"{self.plugin_id}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandNames:
    """What the commands of plugins are called."""

    own: Mapping[str, CommandKey]
    """The commands by the names that they have on Discord; at most as many as there was room."""
    typed: Mapping[str, CommandKey]
    """The commands by what may be typed before a message's arguments, without the slash."""


def name_commands(
    commands: Sequence[CommandKey], *, taken: Collection[str], room: int
) -> CommandNames:
    """Give names to the commands of plugins.

    Of two that would be called the same, the first one has the name; the other one bears its
    plugin's id before its own name, and so does one whose name the bot itself uses.

    Args:
        commands: They, the first to be named first.
        taken: The names that the bot's own commands have.
        room: How many more commands Discord takes.
    """
    own: dict[str, CommandKey] = {}
    typed: dict[str, CommandKey] = {str(key): key for key in commands}
    for key in commands:
        if key.name not in taken:
            typed.setdefault(key.name, key)
        name = _free_name(key, taken, own) if len(own) < room else None
        if name is not None:
            own[name] = key
            typed.setdefault(name, key)
    return CommandNames(own=own, typed=typed)


def _free_name(
    key: CommandKey, taken: Collection[str], own: Mapping[str, CommandKey]
) -> str | None:
    """Return what a command is called on Discord; `None` if whatever fits is taken."""
    for wanted in (key.name, f"{key.plugin_id}-{key.name}"):
        name = _fitted(wanted, key)
        if name and name not in taken and name not in own:
            return name
    return None


def _fitted(wanted: str, key: CommandKey) -> str:
    """Return a name as Discord takes it; empty if nothing is left of it."""
    usable = _UNUSABLE.sub("-", wanted.lower()).strip("-_")
    if len(usable) <= LONGEST_NAME:
        return usable
    digest = hashlib.sha256(str(key).encode("utf-8", "replace")).hexdigest()[:_HASH_LENGTH]
    return f"{usable[: LONGEST_NAME - _HASH_LENGTH - 1]}-{digest}"
