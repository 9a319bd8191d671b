"""What a Discord holds: accounts, channels and messages. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import Any

from simulator.discord.widgets import Button, Menu, buttons_in, menus_in

Json = dict[str, Any]

SUPPRESS_EMBEDS_FLAG = 1 << 2
HAS_THREAD_FLAG = 1 << 5
EPHEMERAL_FLAG = 1 << 6
LOADING_FLAG = 1 << 7
SILENT_FLAG = 1 << 12
VOICE_FLAG = 1 << 13


def items_of(payload: Json, key: str) -> list[Any]:
    """Return the list under a key; an absent one and `null` are empty."""
    items: list[Any] | None = payload.get(key)
    return items or []


class AccountKind(StrEnum):
    """What stands behind a name."""

    PERSON = "person"
    BOT = "bot"
    WEBHOOK = "webhook"


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A role in the guild."""

    id: int
    name: str
    position: int
    permissions: int = 0
    """What it gives to those who have it."""
    is_managed: bool = False
    """Whether it came with the bot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Somebody who can write."""

    id: int
    name: str
    kind: AccountKind = AccountKind.PERSON
    joined_at_seconds: float = 0.0
    """Monotonic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guild:
    """The one server there is."""

    id: int
    name: str
    owner: Account


class ChannelKind(IntEnum):
    """Discord's number for a kind of channel."""

    TEXT = 0
    DIRECT = 1
    VOICE = 2
    THREAD = 11
    """A public one."""
    STAGE = 13
    """A voice channel in which few speak to many."""


VOICE_KINDS = frozenset({ChannelKind.VOICE, ChannelKind.STAGE})
"""Channels in which one can talk; one can write there, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadState:
    """What a thread has besides what every channel has."""

    owner: Account
    created_at_seconds: float
    members: Mapping[int, float]
    """Who is in it: when they joined, by the id of the account."""
    archive_changed_at_seconds: float
    is_archived: bool = False
    is_locked: bool = False
    auto_archive_minutes: int = 1440
    message_count: int = 0
    """Deleted ones not counted."""
    total_message_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """Where something is said; it is the same channel whatever becomes of its name."""

    id: int
    name: str = field(compare=False)
    kind: ChannelKind = field(compare=False)
    guild_id: int | None = field(compare=False)
    """`None` for direct messages."""
    position: int = field(default=0, compare=False)
    recipient: Account | None = field(default=None, compare=False)
    """With whom the bot has these direct messages."""
    parent_id: int | None = field(default=None, compare=False)
    """For a thread: the channel in which it is."""
    thread: ThreadState | None = field(default=None, compare=False)
    topic: str | None = field(default=None, compare=False)
    user_limit: int = field(default=0, compare=False)
    """How many may be in a voice channel; 0: as many as like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedFile:
    """A file that came with a message."""

    id: int
    name: str
    content: bytes
    content_type: str | None
    """`None`: Discord could not tell."""
    description: str | None = None
    duration_seconds: float | None = None
    """Of a voice message."""
    waveform: str | None = None
    """Of a voice message: how loud it is, in Base64."""


class MessageKind(IntEnum):
    """Discord's number for a kind of message."""

    DEFAULT = 0
    PINNED = 6
    """Says that somebody pinned a message."""
    THREAD_CREATED = 18
    """Says that somebody opened a thread."""
    REPLY = 19
    COMMAND = 20
    """The answer to a slash command."""
    THREAD_STARTER = 21
    """Stands first in a thread that was opened from a message."""
    MENU_COMMAND = 23
    """The answer to a command in the menu of a message or a person."""


SYSTEM_KINDS = frozenset(
    {MessageKind.PINNED, MessageKind.THREAD_CREATED, MessageKind.THREAD_STARTER}
)
"""What Discord itself writes in somebody's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """What a system message is about."""

    channel_id: int
    message_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageVersion:
    """What a message held from one moment on."""

    at_seconds: float
    """Monotonic: when it was posted, or edited to this."""
    text: str
    files: tuple[UploadedFile, ...] = ()
    components: Sequence[Json] = ()
    """As on the wire, each with its integer id."""
    embeds: Sequence[Json] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message with all that it ever held; what you have is as it was when you got it."""

    id: int
    channel: Channel
    author: Account
    versions: tuple[MessageVersion, ...]
    """Oldest first; never empty."""
    flags: int = 0
    nonce: str | int | None = None
    reply_to: int | None = None
    """The id of the message that it replies to."""
    mentions: tuple[Account, ...] = ()
    """Whom it pings."""
    pings_everyone: bool = False
    seen_only_by: Account | None = None
    """The one person who sees it, if it is ephemeral."""
    reactions: Mapping[str, frozenset[int]]
    """Per emoji, the ids of those who reacted."""
    interaction: Json | None = None
    """On the wire: which interaction it answers."""
    command: str | None = None
    """The command that it answers, as people see it: `/status`."""
    kind: MessageKind = MessageKind.DEFAULT
    points_to: Pointer | None = None
    pinned_at_seconds: float | None = None
    """Monotonic; `None`: it is not pinned."""

    @property
    def text(self) -> str:
        """What it says now."""
        return self.versions[-1].text

    @property
    def files(self) -> tuple[UploadedFile, ...]:
        """The files that hang on it now."""
        return self.versions[-1].files

    @property
    def buttons(self) -> tuple[Button, ...]:
        """What can be pressed under it now."""
        return buttons_in(self.versions[-1].components)

    @property
    def menus(self) -> tuple[Menu, ...]:
        """The lists to choose from under it now."""
        return menus_in(self.versions[-1].components)

    @property
    def is_pinned(self) -> bool:
        """Whether it is pinned."""
        return self.pinned_at_seconds is not None

    @property
    def is_silent(self) -> bool:
        """Whether nobody's device made a sound for it."""
        return bool(self.flags & SILENT_FLAG)

    @property
    def is_system(self) -> bool:
        """Whether Discord itself wrote it in somebody's name."""
        return self.kind in SYSTEM_KINDS

    @property
    def is_ephemeral(self) -> bool:
        """Whether one person alone sees it."""
        return self.seen_only_by is not None

    @property
    def is_thinking(self) -> bool:
        """Whether it only says that the bot is thinking."""
        return bool(self.flags & LOADING_FLAG)

    @property
    def is_edited(self) -> bool:
        """Whether it was changed after it was posted."""
        return len(self.versions) > 1

    @property
    def posted_at_seconds(self) -> float:
        """When it was posted; monotonic."""
        return self.versions[0].at_seconds

    def visible_to(self, account: Account) -> bool:
        """Say whether `account` sees it."""
        if self.seen_only_by is not None:
            return account == self.seen_only_by
        recipient = self.channel.recipient
        return recipient is None or account in {recipient, self.author}

    def edited(self, version: MessageVersion, *, flags: int | None = None) -> "Message":
        """Return it with a newer version."""
        return replace(
            self,
            versions=(*self.versions, version),
            flags=self.flags if flags is None else flags,
        )
