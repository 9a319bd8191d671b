"""What a desk offers: the commands and buttons that it takes care of.

Whether a person may call a command at all is asked before, from the table of commands; what they
may do with the thing that they name, the desk asks itself.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.commands.spec import Completes
from bot.conversation.incoming import ButtonPress, CommandCall, Completion, Suggestion
from bot.messenger import Form, MessageContent

CommandHandler = Callable[[CommandCall], Awaitable[MessageContent]]
"""Carries out a command, and returns what only the person who called it sees."""
PressHandler = Callable[[ButtonPress], Awaitable[MessageContent | None]]
"""Does what a button, a menu or a sent form says; returns what only that person sees, if any."""
Completer = Callable[[Completion], Awaitable[Sequence[Suggestion]]]
"""Returns what an option may be completed to, and only what that person may know of."""
FormMaker = Callable[[ButtonPress], Form | None]
"""Returns the form that a button opens; at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskOffer:
    """What one desk takes care of."""

    commands: Mapping[str, CommandHandler] = field(default_factory=dict[str, CommandHandler])
    """By the whole name of the command."""
    buttons: Mapping[str, PressHandler] = field(default_factory=dict[str, PressHandler])
    """By the verb of the action."""
    completers: Mapping[Completes, Completer] = field(default_factory=dict[Completes, Completer])
    forms: Mapping[str, FormMaker] = field(default_factory=dict[str, FormMaker])
    """By the verb of the button that opens one."""
