"""All commands. What one may do with what is named in an option, its desk asks besides."""

from collections.abc import Mapping

from bot.access import Action
from bot.commands.line_commands import LINE_COMMANDS
from bot.commands.plugin_commands import PLUGIN_COMMANDS
from bot.commands.spec import (
    AboutLine,
    CommandKind,
    CommandSpec,
    Completes,
    OptionKind,
    OptionSpec,
)

ASK = "Ask Papercup"
START_A_JOB = "Start a job"

EFFORTS = ("low", "medium", "high", "xhigh", "max")
PERMISSION_MODES = ("dontAsk", "acceptEdits", "plan", "auto", "bypassPermissions")
DEFAULT = "default"
"""Chosen to go back to what the configuration says."""

NAME_LENGTH = 60
MODEL_LENGTH = 80

_OR_LINE = AboutLine.IF_NOTHING_IS_OPEN

_SESSION_NAME = OptionSpec(
    name="name", description="What the session is to be called.", longest=NAME_LENGTH
)
_MODEL = OptionSpec(
    name="model",
    description="The model that answers, by name or alias.",
    completes=Completes.MODEL,
    longest=MODEL_LENGTH,
)
_EFFORT = OptionSpec(name="effort", description="How hard it thinks.", choices=EFFORTS)
_PERMISSION_MODE = OptionSpec(
    name="permission-mode",
    description="What it does where it would ask; auto and bypassPermissions are the owner's.",
    choices=PERMISSION_MODES,
)
_HOW_HELD = OptionSpec(
    name="mode",
    description="Talk or write; unset: talk, if you are in a voice channel.",
    choices=("text", "voice"),
)
_MCP_SERVER = OptionSpec(
    name="name",
    description="Which one.",
    required=True,
    completes=Completes.MCP_SERVER,
    longest=100,
)
_CHANNEL = OptionSpec(
    name="channel", description="Which one; unset: this one.", kind=OptionKind.TEXT_CHANNEL
)


def _job(completes: Completes) -> OptionSpec:
    return OptionSpec(
        name="job",
        description="The job, by its name or id.",
        required=True,
        completes=completes,
        longest=100,
    )


COMMANDS = (
    CommandSpec(
        name="pickup",
        description="Open a conversation here, or in a thread of its own.",
        action=Action.TALK,
        options=(_SESSION_NAME, _HOW_HELD, _MODEL, _EFFORT, _PERMISSION_MODE),
    ),
    CommandSpec(
        name="hangup",
        description="End the conversation here; its jobs go on.",
        action=Action.CHANGE_SESSION,
        about_line=_OR_LINE,
    ),
    CommandSpec(
        name="new",
        description="Begin afresh here, with the same settings but without notices.",
        action=Action.CHANGE_SESSION,
        options=(_SESSION_NAME,),
    ),
    CommandSpec(
        name="resume",
        description="Go on with an earlier session here.",
        action=Action.TALK,
        options=(
            OptionSpec(
                name="name",
                description="Which one; the newest come first.",
                required=True,
                completes=Completes.SESSION,
                longest=NAME_LENGTH,
            ),
            OptionSpec(
                name="mode",
                description="Talk or write; unset: talk, if you are in this voice channel.",
                choices=("text", "voice"),
            ),
        ),
    ),
    CommandSpec(
        name="sessions", description="List the sessions that you may resume.", action=Action.TALK
    ),
    CommandSpec(
        name="rename",
        description="Give the session here another name.",
        action=Action.CHANGE_SESSION,
        about_line=_OR_LINE,
        options=(
            OptionSpec(
                name="name", description="The new name.", required=True, longest=NAME_LENGTH
            ),
        ),
    ),
    CommandSpec(
        name="status",
        description="Show the session here, what runs, and how Papercup is doing.",
        action=Action.TALK,
        about_line=_OR_LINE,
    ),
    CommandSpec(
        name="cancel",
        description="Stop what is being answered here.",
        action=Action.TALK,
        about_line=_OR_LINE,
    ),
    CommandSpec(
        name="model",
        description="Set the model of the session here; without a name: the usual one.",
        action=Action.CHANGE_SESSION,
        about_line=_OR_LINE,
        options=(
            OptionSpec(
                name="name",
                description="Its name or alias; unset: the usual one.",
                completes=Completes.MODEL,
                longest=MODEL_LENGTH,
            ),
        ),
    ),
    CommandSpec(
        name="effort",
        description="Set how hard the session here thinks.",
        action=Action.CHANGE_SESSION,
        about_line=_OR_LINE,
        options=(
            OptionSpec(
                name="level",
                description="How hard; default: as usual.",
                required=True,
                choices=(*EFFORTS, DEFAULT),
            ),
        ),
    ),
    CommandSpec(
        name="permissions",
        description="Set what the speaker here does where it would ask.",
        action=Action.CHANGE_SESSION,
        about_line=_OR_LINE,
        options=(
            OptionSpec(
                name="mode",
                description="auto and bypassPermissions: for the owner alone, and only in a jail.",
                required=True,
                choices=(*PERMISSION_MODES, DEFAULT),
            ),
        ),
    ),
    CommandSpec(
        name="mcp list",
        description="List the MCP servers that the session here may use.",
        action=Action.TALK,
        about_line=_OR_LINE,
    ),
    CommandSpec(
        name="mcp enable",
        description="Let the session here use one of the configured MCP servers.",
        action=Action.CHANGE_SESSION,
        about_line=_OR_LINE,
        options=(_MCP_SERVER,),
    ),
    CommandSpec(
        name="mcp disable",
        description="Let the session here use an MCP server no more.",
        action=Action.CHANGE_SESSION,
        about_line=_OR_LINE,
        options=(_MCP_SERVER,),
    ),
    CommandSpec(
        name="notify",
        description="Say whether a message is posted when a job has ended.",
        action=Action.CHANGE_SESSION,
        about_line=_OR_LINE,
        options=(
            OptionSpec(
                name="state",
                description="On or off; all: everyone's jobs, for the owner alone.",
                required=True,
                choices=("on", "off", "all"),
            ),
        ),
    ),
    CommandSpec(
        name="streaming",
        description="Set how much of the work is shown while an answer is made.",
        action=Action.CHANGE_SESSION,
        about_line=_OR_LINE,
        options=(
            OptionSpec(
                name="detail",
                description="Nothing, a line about the tools, or all tools and thoughts.",
                required=True,
                choices=("off", "summary", "full"),
            ),
        ),
    ),
    CommandSpec(
        name="bind",
        description="Have every message of a channel answered, without a mention.",
        action=Action.BIND,
        options=(_CHANNEL,),
    ),
    CommandSpec(
        name="unbind",
        description="Answer in a channel only when mentioned.",
        action=Action.BIND,
        options=(_CHANNEL,),
    ),
    *LINE_COMMANDS,
    CommandSpec(name="jobs list", description="List the newest jobs.", action=Action.TALK),
    CommandSpec(
        name="jobs show",
        description="Show how a job stands, and what came of it.",
        action=Action.TALK,
        options=(_job(Completes.JOB),),
    ),
    CommandSpec(
        name="jobs logs",
        description="Get what a job has done, step by step, as a file.",
        action=Action.TALK,
        options=(_job(Completes.JOB),),
    ),
    CommandSpec(
        name="jobs files",
        description="Get the files that a job has left.",
        action=Action.TALK,
        options=(_job(Completes.JOB),),
    ),
    CommandSpec(
        name="jobs cancel",
        description="Stop a job.",
        action=Action.TALK,
        options=(_job(Completes.UNSETTLED_JOB),),
    ),
    *PLUGIN_COMMANDS,
    CommandSpec(name="whoami", description="Show what you may do here.", action=Action.TALK),
    CommandSpec(
        name="help",
        description="Show what Papercup can do, and its commands.",
        action=Action.TALK,
        options=(
            OptionSpec(
                name="command",
                description="One command, to be told more of it.",
                completes=Completes.COMMAND,
                longest=50,
            ),
        ),
    ),
    CommandSpec(
        name=ASK,
        description="Have Papercup answer to this message.",
        action=Action.TALK,
        kind=CommandKind.MESSAGE,
    ),
    CommandSpec(
        name=START_A_JOB,
        description="Hand what this message says to a background job.",
        action=Action.SPAWN,
        kind=CommandKind.MESSAGE,
    ),
)
"""In the order in which `/help` shows them."""

GROUPS: Mapping[str, str] = {
    "jobs": "Background jobs.",
    "mcp": "MCP servers of the session here.",
    "plugin": "Plugins of this Papercup.",
    "voice": "The voice line of this server.",
}
"""What the groups of commands are for."""
