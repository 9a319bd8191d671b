"""What may be asked of whatever carries messages: Discord, or a fake of it."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.access import Place


class ButtonStyle(StrEnum):
    """How a button looks."""

    PLAIN = "plain"
    PRIMARY = "primary"
    """What most people will want."""
    DANGER = "danger"


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonAction:
    """What pressing a button, choosing from a menu or sending a form asks for."""

    verb: str
    """One lower-case word, such as `cancel`."""
    subject: str
    """The id of the thing it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """Something to press under a message."""

    label: str
    action: ButtonAction
    style: ButtonStyle = ButtonStyle.PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuOption:
    """Something to choose."""

    label: str
    """At most 100 characters."""
    value: str
    """What comes back; at most 100 characters."""
    description: str | None = None
    """At most 100 characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """A list to choose from under a message; at most 25 options."""

    action: ButtonAction
    options: tuple[MenuOption, ...]
    placeholder: str | None = None
    least: int = 1
    """How many have to be chosen."""
    most: int = 1
    """How many may be chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """Something to fill in."""

    key: str
    """By which its text comes back."""
    label: str
    """At most 45 characters."""
    is_long: bool = False
    """Whether it has several lines."""
    is_required: bool = True
    placeholder: str | None = None
    value: str | None = None
    """What stands in it at first."""
    longest: int = 2000
    """How many characters it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A window with up to five fields that opens when a button was pressed (Discord: a modal)."""

    title: str
    """At most 45 characters."""
    action: ButtonAction
    """What sending it asks for."""
    fields: tuple[FormField, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file that goes with a message."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageContent:
    """What a message holds."""

    text: str
    """At most 2,000 characters of Discord's markdown."""
    buttons: tuple[Button, ...] = ()
    menus: tuple[Menu, ...] = ()
    """Above the buttons; together at most five rows, of one menu or five buttons each."""
    files: tuple[File, ...] = ()
    is_silent: bool = False
    """Whether nobody's device makes a sound for it; known when it is posted, not later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRef:
    """Where a message stands."""

    channel_id: int
    message_id: int


class MessengerError(Exception):
    """A message could not be carried."""

    def __init__(
        self,
        reason: str,
        *,
        fate_unknown: bool = False,
        is_final: bool = False,
        is_gone: bool = False,
        retry_after_seconds: float = 0.0,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.fate_unknown = fate_unknown
        """Whether it may have arrived all the same."""
        self.is_final = is_final
        """Whether trying again is of no use: the place or the message is gone, or forbidden."""
        self.is_gone = is_gone
        """Whether the place is not there any more."""
        self.retry_after_seconds = retry_after_seconds
        """How long Discord wants to be left alone."""

    def __str__(self) -> str:
        return f"Discord did not take the message: {self.reason}"


class Messenger(Protocol):
    """Carries messages. Nothing it sends pings anyone but the person replied to."""

    async def post(
        self,
        place: Place,
        content: MessageContent,
        *,
        nonce: str,
        reply_to: MessageRef | None = None,
    ) -> MessageRef:
        """Post a message, once: a second post with the same nonce gives the first one back.

        If the message replied to is gone, it is posted without a reply.

        Raises:
            MessengerError: If it was not taken.
        """
        ...

    async def edit(self, ref: MessageRef, content: MessageContent) -> None:
        """Replace what a message holds.

        Raises:
            MessengerError: If it was not taken, or the message is gone.
        """
        ...

    async def react(self, ref: MessageRef, emoji: str) -> None:
        """Put the bot's reaction under a message; it stands there once.

        Raises:
            MessengerError: If it was not taken, or the message is gone.
        """
        ...

    async def take_reaction_back(self, ref: MessageRef, emoji: str) -> None:
        """Take the bot's own reaction away; harmless if it is not there.

        Raises:
            MessengerError: If it was not taken, or the message is gone.
        """
        ...

    async def delete(self, ref: MessageRef) -> None:
        """Take the bot's own message away; harmless if it is gone.

        Raises:
            MessengerError: If that was not taken.
        """
        ...

    async def pin(self, ref: MessageRef) -> None:
        """Pin a message in its channel.

        Raises:
            MessengerError: If that was not taken: the bot may not, or 250 are pinned already.
        """
        ...

    async def unpin(self, ref: MessageRef) -> None:
        """Take a message's pin out; harmless if it has none.

        Raises:
            MessengerError: If that was not taken.
        """
        ...

    async def open_thread(self, place: Place, name: str) -> Place:
        """Open a public thread in a channel of a guild, and return it.

        Args:
            place: The channel; not a thread.
            name: Its title, cut to the 100 characters that Discord takes.

        Raises:
            MessengerError: If that was not taken: the bot may not, or threads cannot be there.
        """
        ...

    async def rename_thread(self, place: Place, name: str) -> None:
        """Give a thread another title.

        Raises:
            MessengerError: If that was not taken. Discord takes two of these in ten minutes.
        """
        ...

    async def find(
        self, place: Place, nonce: str, *, like: MessageContent | None = None
    ) -> MessageRef | None:
        """Return the bot's recent message with that nonce, if there is one.

        Args:
            place: Where to look.
            nonce: With which it was posted.
            like: What it holds. Discord may not tell the nonces of older messages; the message is
                then known by its buttons or, if it has none, by its text.

        Raises:
            MessengerError: If nobody could look.
        """
        ...

    async def direct_messages(self, person_id: int) -> Place:
        """Return where that person is written to directly.

        Raises:
            MessengerError: If the person cannot be written to, or nobody could say where.
        """
        ...

    def typing(self, place: Place) -> AbstractAsyncContextManager[None]:
        """Show that the bot is typing while the block lasts."""
        ...


async def standing(
    messenger: Messenger, place: Place, nonce: str, *, like: MessageContent | None
) -> MessageRef | None:
    """Return where a message stands, if an earlier attempt to post it got that far.

    Where the bot may write, but not read, that cannot be told, and is not; there it has to do
    that the nonce is enforced.

    Raises:
        MessengerError: If nobody could look at present.
    """
    try:
        return await messenger.find(place, nonce, like=like)
    except MessengerError as error:
        if not error.is_final:
            raise
        return None
