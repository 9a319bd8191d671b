"""What people do, as it arrives from Discord."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.access import Person, Place
from bot.messenger import ButtonAction, Form, MessageContent, MessageRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that came with a message; it is still where Discord keeps it."""

    id: int
    name: str
    """As its author named it: data, to be sanitised before it names anything."""
    size_bytes: int
    content_type: str | None
    """As Discord tells it, without parameters."""
    url: str
    """From where it can be had for about a day."""
    is_voice_message: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingMessage:
    """What somebody wrote."""

    ref: MessageRef
    author: Person
    place: Place
    text: str
    """Without the mention of the bot."""
    mentions_bot: bool
    attachments: tuple[Attachment, ...] = ()
    is_mention_alone: bool = False
    """Whether nothing was written but the mention of the bot."""

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


OptionValue = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCall:
    """A slash command that somebody called, or a command in a message's menu."""

    name: str
    """Whole, without the slash: `notify`, `jobs list`, `Ask Papercup`."""
    options: Mapping[str, OptionValue]
    person: Person
    place: Place
    target: IncomingMessage | None = None
    """The message in whose menu it was called."""
    most_file_bytes: int = 10 << 20
    """How large a file may be in the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """An option of a command that somebody is typing."""

    command: str
    """Whole, as in `CommandCall`."""
    option: str
    typed: str
    person: Person
    place: Place
    given: Mapping[str, OptionValue] = field(default_factory=dict[str, OptionValue])
    """The other options that are filled in already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Something that an option may be completed to."""

    label: str
    """What people see; cut to 100 characters."""
    value: str
    """What the command is then called with; at most 100 characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonPress:
    """A button that somebody pressed, a choice from a menu, or a form that was sent."""

    action: ButtonAction
    message: MessageRef | None
    """Under which it is; `None` for a form that was opened without one."""
    person: Person
    place: Place
    chosen: tuple[str, ...] = ()
    """The values that were chosen from a menu."""
    filled: Mapping[str, str] = field(default_factory=dict[str, str])
    """What was written into a form, by the keys of its fields."""


class Listener(Protocol):
    """Whoever is told what people do."""

    async def message_arrived(self, message: IncomingMessage) -> None:
        """Take a message; returns before it is answered."""
        ...

    async def message_edited(self, message: IncomingMessage) -> None:
        """Take the new version of a message, which may never have been for the bot."""
        ...

    async def message_deleted(self, ref: MessageRef) -> None:
        """Hear that a message is gone, which may never have been for the bot."""
        ...

    async def channel_deleted(self, channel_id: int) -> None:
        """Hear that a channel or a thread is gone, in which nobody may have talked."""
        ...

    async def catch_up(self) -> None:
        """Look for what people wrote unheard: called at the start, and after each gap.

        What is heard afterwards is handed over when this has returned.
        """
        ...

    async def heard_until(self, at: float) -> None:
        """Hear, now and then, that all was handed over that was heard before then.

        Args:
            at: Unix time, in seconds.
        """
        ...

    def is_for_all(self, call: CommandCall) -> bool:
        """Say whether everybody in the place is to see what that command answers to that person.

        It is called before anything else, and has to return at once.
        """
        ...

    async def command_called(self, call: CommandCall) -> MessageContent:
        """Carry out a command, and return its answer; see `is_for_all` for whom."""
        ...

    async def completed(self, completion: Completion) -> Sequence[Suggestion]:
        """Return what an option may be completed to, the likeliest first; at most 25 are shown."""
        ...

    def form_for(self, press: ButtonPress) -> Form | None:
        """Return the form that a button opens; `None` if it does something by itself.

        It is called before anything else, and has to return at once.
        """
        ...

    async def button_pressed(self, press: ButtonPress) -> MessageContent | None:
        """Do what the button says, and return what only that person sees, if anything.

        What is chosen from a menu and forms that are sent come here, too.
        """
        ...
