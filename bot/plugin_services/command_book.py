"""The commands that plugins bring along: how they are called, and what they are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.access import Action
from bot.commands.offered import OfferedCommands
from bot.commands.plugin_commands import ARGUMENTS
from bot.commands.spec import CommandKind, CommandSpec
from bot.plugin_services.command_names import CommandKey, CommandNames, name_commands
from bot.plugin_services.plugin_commands import PluginCommands
from bot.plugin_services.resource_texts import PromptCommand, Skill
from bot.quoting import cleaned
from bot.wording import shortened

MOST_SLASH_COMMANDS = 100
"""How many Discord takes, groups and commands of their own together."""
MOST_BROUGHT = 1000
"""How many are known of; what plugins bring beyond that cannot be called."""

_LONGEST_DESCRIPTION = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class BroughtCommand:
    """A command that a plugin brings along."""

    key: CommandKey
    description: str
    """In the plugin's words: data."""
    prompt: PromptCommand | None = None
    """What is said to the speaker when it is called; `None`: the plugin's program does it."""


class CommandBook:
    """Knows them by all their names; call `refresh` when they may have changed.

    Args:
        plugins: The plugins.
        offered: Is told which commands people are to be offered.
        prompts: Returns the prompts that plugins bring along.
        skills: Returns the skills.
    """

    def __init__(
        self,
        plugins: PluginCommands,
        offered: OfferedCommands,
        *,
        prompts: Callable[[], Sequence[PromptCommand]] = tuple,
        skills: Callable[[], Sequence[Skill]] = tuple,
    ) -> None:
        self._plugins = plugins
        self._offered = offered
        self._prompts = prompts
        self._skills = skills
        self._brought: Mapping[CommandKey, BroughtCommand] = {}
        self._names = CommandNames(own={}, typed={})
        self._specs: Mapping[str, CommandSpec] = {}

    def refresh(self) -> None:
        """Look which commands there are by now, and have people offered them."""
        self._brought = _by_key(self._plugins, self._prompts())
        own = self._offered.always
        taken = {spec.name.partition(" ")[0] for spec in own if spec.kind is CommandKind.SLASH}
        room = MOST_SLASH_COMMANDS - len(taken)
        self._names = name_commands(list(self._brought), taken=taken, room=room)
        self._specs = {
            name: _spec(name, self._brought[key]) for name, key in self._names.own.items()
        }
        self._offered.add(tuple(self._specs.values()))

    @property
    def all(self) -> Iterable[BroughtCommand]:
        """Every command, in the order of the plugins."""
        return self._brought.values()

    def spec(self, name: str) -> CommandSpec | None:
        """Return how people are offered the command of that name on Discord."""
        return self._specs.get(name)

    def named(self, name: str) -> BroughtCommand | None:
        """Return the command of that name on Discord."""
        key = self._names.own.get(name)
        return None if key is None else self._brought[key]

    def typed(self, word: str) -> BroughtCommand | None:
        """Return the command that stands as `/word` in a message."""
        key = self._names.typed.get(word) or self._names.typed.get(word.lower())
        return None if key is None else self._brought[key]

    def of_plugin(self, plugin_id: str, name: str) -> BroughtCommand | None:
        """Return a plugin's command, by its name there."""
        return self._brought.get(CommandKey(plugin_id, name.strip().removeprefix("/")))

    def called(self, key: CommandKey) -> str:
        """Return what to type for a command, as well as it is known."""
        for name, own in self._names.own.items():
            if own == key:
                return name
        return str(key)

    def skill(self, wanted: str) -> Skill | None:
        """Return a skill, by its name alone or with its plugin's id before it."""
        found = [each for each in self._skills() if wanted in {each.name, each.full_name}]
        return found[0] if found else None

    def skills_of(self, plugin_id: str) -> list[str]:
        """Return the names of a plugin's skills."""
        return [each.name for each in self._skills() if each.plugin_id == plugin_id]


def _by_key(
    plugins: PluginCommands, prompts: Iterable[PromptCommand]
) -> dict[CommandKey, BroughtCommand]:
    brought: dict[CommandKey, BroughtCommand] = {}
    for command in plugins.commands():
        key = CommandKey(command.plugin_id, command.name)
        brought.setdefault(key, BroughtCommand(key=key, description=command.description))
    for prompt in prompts:
        key = CommandKey(prompt.plugin_id, prompt.name)
        brought.setdefault(
            key, BroughtCommand(key=key, description=prompt.description, prompt=prompt)
        )
    return dict(list(brought.items())[:MOST_BROUGHT])


def _spec(name: str, brought: BroughtCommand) -> CommandSpec:
    described = " ".join(cleaned(brought.description).split())
    if not described:
        described = f"A command of the plugin {brought.key.plugin_id}."
    is_prompt = brought.prompt is not None
    return CommandSpec(
        name=name,
        description=shortened(described, _LONGEST_DESCRIPTION),
        action=Action.TALK,
        # What a prompt leads to is posted.
        is_for_all=not is_prompt,
        options=(replace(ARGUMENTS, completes=None) if is_prompt else ARGUMENTS,),
    )
