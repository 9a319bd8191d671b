"""The commands about the voice line of a server, as data."""

from bot.access import Action
from bot.commands.spec import AboutLine, CommandSpec, Completes, OptionSpec

LINE_COMMANDS = (
    CommandSpec(
        name="say",
        description="Speak a text on the voice line, word for word.",
        action=Action.TALK,
        about_line=AboutLine.ALWAYS,
        options=(OptionSpec(name="text", description="What to say.", required=True, longest=500),),
    ),
    CommandSpec(
        name="voice mode",
        description="Say when I take people on the voice line to talk to me.",
        action=Action.CHANGE_SESSION,
        about_line=AboutLine.ALWAYS,
        options=(
            OptionSpec(
                name="mode",
                description="open: alone with me, or by name; name: by name; push: by a button.",
                required=True,
                choices=("open", "name", "push"),
            ),
        ),
    ),
    CommandSpec(
        name="voice mute",
        description="Have me listen no more on the voice line, or again.",
        action=Action.CHANGE_SESSION,
        about_line=AboutLine.ALWAYS,
        options=(
            OptionSpec(
                name="state",
                description="on: I do not listen; off: I do.",
                required=True,
                choices=("on", "off"),
            ),
        ),
    ),
    CommandSpec(
        name="voice list",
        description="List the voices in which I can speak.",
        action=Action.TALK,
        about_line=AboutLine.ALWAYS,
        options=(
            OptionSpec(
                name="language",
                description="Only those of a language, as en or en-GB.",
                longest=20,
            ),
        ),
    ),
    CommandSpec(
        name="voice use",
        description="Have me speak in another voice on the voice line.",
        action=Action.CHANGE_SESSION,
        about_line=AboutLine.ALWAYS,
        options=(
            OptionSpec(
                name="name",
                description="Which one; /voice list shows them.",
                required=True,
                completes=Completes.VOICE,
                longest=100,
            ),
        ),
    ),
    CommandSpec(
        name="voice doctor",
        description="Try whether I hear you, and show how the voice line is doing.",
        action=Action.TALK,
        about_line=AboutLine.ALWAYS,
    ),
)
"""Wherever they are called, they are about that line."""
