"""What people do, as it arrives from Discord."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from bot.access import Person, Place
from bot.messenger import ButtonAction, MessageContent, MessageRef


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingMessage:
    """What somebody wrote."""

    ref: MessageRef
    author: Person
    place: Place
    text: str
    """Without the mention of the bot."""
    mentions_bot: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCall:
    """A slash command that somebody called."""

    name: str
    """Whole, without the slash: `notify`, `jobs list`."""
    options: Mapping[str, str | int | float | bool]
    person: Person
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonPress:
    """A button that somebody pressed."""

    action: ButtonAction
    message: MessageRef
    person: Person
    place: Place


class Listener(Protocol):
    """Whoever is told what people do."""

    async def message_arrived(self, message: IncomingMessage) -> None:
        """Take a message; returns before it is answered."""
        ...

    async def command_called(self, call: CommandCall) -> MessageContent:
        """Carry out a command, and return what only the person who called it sees."""
        ...

    async def button_pressed(self, press: ButtonPress) -> MessageContent | None:
        """Do what the button says, and return what only that person sees, if anything."""
        ...
