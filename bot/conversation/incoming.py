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

    @property
    def written_at(self) -> float:
        """Unix time, in seconds, as its id tells it."""
        return ((self.ref.message_id >> _SEQUENCE_BITS) + _EPOCH_MILLISECONDS) / 1000


def first_id_at(unix_seconds: float) -> int:
    """Return the lowest id that a message can have that was written at that time or later."""
    return max(int(unix_seconds * 1000) - _EPOCH_MILLISECONDS, 0) << _SEQUENCE_BITS


# How Discord makes its ids.
_SEQUENCE_BITS = 22
_EPOCH_MILLISECONDS = 1_420_070_400_000


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

    async def catch_up(self) -> None:
        """Look for what people wrote unheard: called at the start, and after each gap.

        What is heard afterwards is handed over when this has returned.
        """
        ...

    async def command_called(self, call: CommandCall) -> MessageContent:
        """Carry out a command, and return what only the person who called it sees."""
        ...

    async def button_pressed(self, press: ButtonPress) -> MessageContent | None:
        """Do what the button says, and return what only that person sees, if anything."""
        ...
