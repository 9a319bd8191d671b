"""What a Discord holds: accounts, channels and messages. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import Any

Json = dict[str, Any]

EPHEMERAL_FLAG = 1 << 6
LOADING_FLAG = 1 << 7
_BUTTON = 2
_LINK_STYLE = 5


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Somebody who can write."""

    id: int
    name: str
    kind: AccountKind = AccountKind.PERSON
    joined_at_seconds: float = 0.0
    """Monotonic."""


class ChannelKind(IntEnum):
    """Discord's number for a kind of channel."""

    TEXT = 0
    DIRECT = 1
    VOICE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """Where something is said."""

    id: int
    name: str
    kind: ChannelKind
    guild_id: int | None
    """`None` for direct messages."""
    position: int = 0
    recipient: Account | None = None
    """With whom the bot has these direct messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedFile:
    """A file that came with a message."""

    id: int
    name: str
    content: bytes
    content_type: str
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """Something to press under a message."""

    label: str
    custom_id: str | None
    """`None` for a link."""
    is_disabled: bool
    component_id: int


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
        return tuple(_buttons_in(self.versions[-1].components))

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


def _buttons_in(components: Sequence[Json]) -> list[Button]:
    found: list[Button] = []
    for component in components:
        if component["type"] == _BUTTON:
            found.append(_button(component))
        found.extend(_buttons_in(items_of(component, "components")))
        if accessory := component.get("accessory"):
            found.extend(_buttons_in([accessory]))
    return found


def _button(component: Json) -> Button:
    return Button(
        label=component.get("label") or "",
        custom_id=None if component["style"] == _LINK_STYLE else component.get("custom_id"),
        is_disabled=bool(component.get("disabled")),
        component_id=component["id"],
    )
