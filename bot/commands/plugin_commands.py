"""The commands about plugins, as data. Those that plugins bring along are not among them."""

from bot.access import Action
from bot.commands.spec import CommandSpec, Completes, OptionSpec

RUN_ANY = "x"
"""The command that runs any command of any plugin, also one that has none of its own."""

PLUGIN_OPTION, COMMAND_OPTION, ARGUMENTS_OPTION = "plugin", "command", "args"
"""The options of `RUN_ANY`; the last one is also that of each command that a plugin brings."""

MOST_ARGUMENT_CHARACTERS = 4000

ARGUMENTS = OptionSpec(
    name=ARGUMENTS_OPTION,
    description="What to tell it.",
    completes=Completes.PLUGIN_ARGUMENTS,
    longest=MOST_ARGUMENT_CHARACTERS,
)

_NAME = OptionSpec(
    name="name",
    description="Which one, by its id.",
    required=True,
    completes=Completes.PLUGIN,
    longest=64,
)

PLUGIN_COMMANDS = (
    CommandSpec(
        name="plugin list",
        description="List the plugins, and how each of them stands.",
        action=Action.ADMINISTER,
    ),
    CommandSpec(
        name="plugin info",
        description="Show what a plugin offers, and how it stands.",
        action=Action.ADMINISTER,
        options=(_NAME,),
    ),
    CommandSpec(
        name="plugin reload",
        description="Start a plugin anew, from what is in its folder now.",
        action=Action.ADMINISTER,
        options=(_NAME,),
    ),
    CommandSpec(
        name=RUN_ANY,
        description="Run a command of a plugin.",
        action=Action.TALK,
        is_for_all=True,
        options=(
            OptionSpec(
                name=PLUGIN_OPTION,
                description="Whose command, by the plugin's id.",
                required=True,
                completes=Completes.PLUGIN_WITH_COMMANDS,
                longest=64,
            ),
            OptionSpec(
                name=COMMAND_OPTION,
                description="Which of its commands.",
                required=True,
                completes=Completes.PLUGIN_COMMAND,
                longest=200,
            ),
            ARGUMENTS,
        ),
    ),
)
