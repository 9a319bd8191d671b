"""The commands that plugins bring along, as people call them on Discord."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.commands.plugin_commands import ARGUMENTS_OPTION
from bot.commands.spec import CommandSpec
from bot.conversation.incoming import CommandCall, Completion, Suggestion
from bot.conversation.more_commands import unknown_command
from bot.messenger import MessageContent
from bot.plugin_services.command_book import BroughtCommand, CommandBook
from bot.plugin_services.command_runs import CommandRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class BroughtCommands:
    """Implements `MoreCommands`."""

    book: CommandBook
    runs: CommandRuns

    def find(self, name: str) -> CommandSpec | None:
        """Return the command of that name; `None` if there is none."""
        return self.book.spec(name)

    async def carry_out(self, call: CommandCall) -> MessageContent:
        """Carry out a command, and return what to say."""
        command = self.book.named(call.name)
        if command is None:
            return unknown_command(call.name)
        return await self.carry_out_one(command, call)

    async def carry_out_one(self, command: BroughtCommand, call: CommandCall) -> MessageContent:
        """Carry out a command that was called by whatever name."""
        raw = str(call.options.get(ARGUMENTS_OPTION) or "").strip()
        if command.prompt is not None:
            return MessageContent(
                text=await self.runs.ask(command.prompt, raw, call.person, call.place)
            )
        return MessageContent(text=await self.runs.run(command, raw, call.person, call.place))

    async def complete(self, completion: Completion) -> Sequence[Suggestion]:
        """Return what the arguments of a command may be completed to."""
        command = self.book.named(completion.command)
        if command is None or completion.option != ARGUMENTS_OPTION:
            return ()
        return await self.complete_one(command, completion)

    async def complete_one(
        self, command: BroughtCommand, completion: Completion
    ) -> Sequence[Suggestion]:
        """Return what the arguments of a command may be completed to, whatever its name."""
        return await self.runs.complete(
            command, completion.typed, completion.person, completion.place
        )
