"""Commands that are not in the table: which there are may change at any time."""

from collections.abc import Sequence
from typing import Protocol

from bot.commands.spec import CommandSpec
from bot.conversation.incoming import CommandCall, Completion, IncomingMessage, Suggestion
from bot.messenger import MessageContent


class MoreCommands(Protocol):
    """Takes care of them. Whether somebody may call one is asked before."""

    def find(self, name: str) -> CommandSpec | None:
        """Return the command of that name; `None` if there is none."""
        ...

    async def carry_out(self, call: CommandCall) -> MessageContent:
        """Carry out a command, and return what to say."""
        ...

    async def complete(self, completion: Completion) -> Sequence[Suggestion]:
        """Return what an option of a command may be completed to."""
        ...


class TypedCommands(Protocol):
    """Takes care of commands that stand in a message, as `/roll 2d6`."""

    async def take(self, message: IncomingMessage, *, at: float) -> IncomingMessage | None:
        """Have a message carried out, if that is what it is for; returns before it is done.

        Args:
            message: It is for the bot, and its author may talk to it.
            at: When it came: Unix time, in seconds.

        Returns:
            The message as it is to be answered; `None` if nothing more is to be done about it.
        """
        ...


class NoMoreCommands:
    """There are none, neither called nor typed."""

    def find(self, name: str) -> CommandSpec | None:
        """Return `None`."""
        del name
        return None

    async def carry_out(self, call: CommandCall) -> MessageContent:
        """Say that there is no such command."""
        return unknown_command(call.name)

    async def complete(self, completion: Completion) -> Sequence[Suggestion]:
        """Return nothing."""
        del completion
        return ()

    async def take(self, message: IncomingMessage, *, at: float) -> IncomingMessage | None:
        """Return the message as it is."""
        del at
        return message


def unknown_command(name: str) -> MessageContent:
    """Return what is said of a command that is not there any more."""
    return MessageContent(
        text=f"I do not know the command `/{name}` any more. Try again in a minute."
    )
