"""What is known of a command. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from bot.access import Action


class CommandKind(StrEnum):
    """Where a command is found."""

    SLASH = "slash"
    """Typed, after a slash."""
    MESSAGE = "message"
    """In the menu of a message."""


class OptionKind(StrEnum):
    """What an option takes."""

    TEXT = "text"
    TEXT_CHANNEL = "text channel"
    """A text channel of the server; its id comes as a text of digits."""


class Completes(StrEnum):
    """To what an option can be completed while it is typed."""

    SESSION = "session"
    JOB = "job"
    UNSETTLED_JOB = "unsettled job"
    MODEL = "model"
    MCP_SERVER = "MCP server"
    COMMAND = "command"
    VOICE = "voice"
    PLUGIN = "plugin"
    PLUGIN_WITH_COMMANDS = "plugin with commands"
    PLUGIN_COMMAND = "plugin's command"
    PLUGIN_ARGUMENTS = "arguments of a plugin's command"


class AboutLine(StrEnum):
    """Whether a command means the voice line of the server if it is called elsewhere."""

    NEVER = "never"
    IF_NOTHING_IS_OPEN = "if nothing is open"
    """If no conversation is open where it is called."""
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionSpec:
    """Something that a command takes."""

    name: str
    description: str
    """In English, at most 100 characters."""
    kind: OptionKind = OptionKind.TEXT
    required: bool = False
    choices: tuple[str, ...] = ()
    """The values that it may have; empty means any."""
    completes: Completes | None = None
    longest: int | None = None
    """How many characters it takes; `None`: as many as Discord lets through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSpec:
    """A command."""

    name: str
    """Whole: `notify`, a group and a command in it, as `jobs list`; or as a menu shows it."""
    description: str
    """In English, at most 100 characters; of a command in a menu only `/help` shows it."""
    action: Action
    """What one must be allowed to do to call it, about the session that is open there."""
    kind: CommandKind = CommandKind.SLASH
    about_line: AboutLine = AboutLine.NEVER
    is_for_all: bool = False
    """Whether everybody in the place sees what it answers to somebody who may call it."""
    options: tuple[OptionSpec, ...] = ()
