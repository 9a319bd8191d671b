"""The commands about plugins: how they stand, starting one anew, and running any command."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.access import Action, Authorize, Refused
from bot.commands.plugin_commands import COMMAND_OPTION, PLUGIN_OPTION, RUN_ANY
from bot.commands.spec import Completes
from bot.conversation.desk import DeskOffer
from bot.conversation.incoming import CommandCall, Completion, OptionValue, Suggestion
from bot.messenger import MessageContent
from bot.plugin_services.brought_commands import BroughtCommands
from bot.plugin_services.command_book import BroughtCommand
from bot.plugin_services.plugin_commands import PluginCommands, Reload
from bot.plugin_services.plugin_words import NO_COMMANDS, Brings, info_text, list_text
from bot.quoting import code, plain
from extensions.errors import PluginError

_LONGEST_ID = 64
_LONGEST_REASON = 1000
_MOST_SUGGESTIONS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginDesk:
    """Carries out `/plugin` and `/x`; whoever calls them may, as far as the table says."""

    authorize: Authorize
    plugins: PluginCommands
    reload: Reload
    brought: BroughtCommands
    themes_of: Callable[[str], Sequence[str]] = lambda _: ()
    """Returns the themes that a plugin brings along, by its id."""

    def offer(self) -> DeskOffer:
        """Return what this desk takes care of."""
        return DeskOffer(
            commands={
                "plugin list": self._list,
                "plugin info": self._info,
                "plugin reload": self._reload,
                RUN_ANY: self._run,
            },
            completers={
                Completes.PLUGIN: self._complete_plugin,
                Completes.PLUGIN_WITH_COMMANDS: self._complete_plugin_with_commands,
                Completes.PLUGIN_COMMAND: self._complete_command,
                Completes.PLUGIN_ARGUMENTS: self._complete_arguments,
            },
        )

    async def _list(self, _call: CommandCall) -> MessageContent:
        return MessageContent(text=list_text(self.plugins.report()))

    async def _info(self, call: CommandCall) -> MessageContent:
        wanted = _text(call.options, "name")
        for plugin in self.plugins.report():
            if str(plugin.get("id")) == wanted:
                return MessageContent(text=info_text(plugin, self._brings(wanted)))
        return _no_such_plugin(wanted)

    async def _reload(self, call: CommandCall) -> MessageContent:
        wanted = _text(call.options, "name")
        named = code(wanted, _LONGEST_ID)
        try:
            reason = await self.reload(wanted)
        except PluginError as error:
            reason = error.reason
        if reason is None:
            return MessageContent(text=f"{named} was started anew.")
        return MessageContent(text=f"{named} does not run: {plain(reason, _LONGEST_REASON)}")

    async def _run(self, call: CommandCall) -> MessageContent:
        command = self._wanted(call.options)
        if command is not None:
            return await self.brought.carry_out_one(command, call)
        if not any(True for _ in self.brought.book.all):
            return MessageContent(text=NO_COMMANDS)
        plugin_id = code(_text(call.options, PLUGIN_OPTION), _LONGEST_ID)
        name = code(_text(call.options, COMMAND_OPTION), _LONGEST_ID)
        return MessageContent(text=f"The plugin {plugin_id} has no command {name}.")

    async def _complete_plugin(self, completion: Completion) -> Sequence[Suggestion]:
        verdict = self.authorize([completion.person], Action.ADMINISTER, completion.place)
        if isinstance(verdict, Refused):
            return ()
        ids = [str(plugin.get("id")) for plugin in self.plugins.report()]
        return _suggested(((each, each) for each in ids), completion.typed)

    async def _complete_plugin_with_commands(self, completion: Completion) -> Sequence[Suggestion]:
        ids = dict.fromkeys(each.key.plugin_id for each in self.brought.book.all)
        return _suggested(((each, each) for each in ids), completion.typed)

    async def _complete_command(self, completion: Completion) -> Sequence[Suggestion]:
        plugin_id = _text(completion.given, PLUGIN_OPTION)
        found = [
            (each.key.name, _described(each))
            for each in self.brought.book.all
            if not plugin_id or each.key.plugin_id == plugin_id
        ]
        return _suggested(found, completion.typed.lstrip("/"))

    async def _complete_arguments(self, completion: Completion) -> Sequence[Suggestion]:
        command = self._wanted(completion.given)
        return () if command is None else await self.brought.complete_one(command, completion)

    def _brings(self, plugin_id: str) -> Brings:
        book = self.brought.book
        own = [each.key for each in book.all if each.key.plugin_id == plugin_id]
        return Brings(
            called=[book.called(key) for key in own],
            skills=book.skills_of(plugin_id),
            themes=self.themes_of(plugin_id),
        )

    def _wanted(self, options: Mapping[str, OptionValue]) -> BroughtCommand | None:
        return self.brought.book.of_plugin(
            _text(options, PLUGIN_OPTION), _text(options, COMMAND_OPTION)
        )


def _text(options: Mapping[str, Any], name: str) -> str:
    return str(options.get(name) or "").strip()


def _described(command: BroughtCommand) -> str:
    words = " ".join(command.description.split())
    return f"{command.key.name} · {words}" if words else command.key.name


def _suggested(found: Iterable[tuple[str, str]], typed: str) -> list[Suggestion]:
    """Return what is suggested of values and their labels; what begins as typed comes first."""
    typed = typed.strip().lower()
    fitting = [(value, label) for value, label in found if typed in value.lower()]
    ordered = sorted(fitting, key=lambda each: not each[0].lower().startswith(typed))
    return [Suggestion(label=label, value=value) for value, label in ordered[:_MOST_SUGGESTIONS]]


def _no_such_plugin(wanted: str) -> MessageContent:
    return MessageContent(
        text=f"There is no plugin {code(wanted, _LONGEST_ID)}. `/plugin list` shows which are."
    )
