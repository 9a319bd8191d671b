"""What may be asked of whatever carries messages: Discord, or a fake of it."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.access import Place


class ButtonStyle(StrEnum):
    """How a button looks."""

    PLAIN = "plain"
    DANGER = "danger"


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonAction:
    """What pressing a button asks for."""

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
    files: tuple[File, ...] = ()


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
        retry_after_seconds: float = 0.0,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.fate_unknown = fate_unknown
        """Whether it may have arrived all the same."""
        self.is_final = is_final
        """Whether trying again is of no use: the place or the message is gone, or forbidden."""
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
