"""What may be asked of whatever leads into voice channels: Discord, or a fake of it. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.access import Person, Place
from voice.link import VoiceLink


class JoinTrouble(StrEnum):
    """Why a voice channel could not be joined."""

    NO_PERMISSION = "no permission"
    """The bot may not see it, connect to it, or speak there."""
    FULL = "full"
    GONE = "gone"
    """There is no such voice channel."""
    NO_ENCRYPTION = "no encryption"
    """Discord wants end-to-end encryption, and could not be given it (close code 4017)."""
    TIMED_OUT = "timed out"
    OFFLINE = "offline"
    """There is no connection to Discord at all."""


class VoiceJoinError(Exception):
    """A voice channel could not be joined."""

    def __init__(self, trouble: JoinTrouble, detail: str = "") -> None:
        super().__init__(trouble, detail)
        self.trouble = trouble
        self.detail = detail
        """Which permissions are missing, for example."""

    def __str__(self) -> str:
        return f"the voice channel could not be joined: {self.detail or self.trouble.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CameIn:
    """Somebody has come into the line's channel."""

    person: Person


@dataclass(frozen=True, slots=True, kw_only=True)
class WentOut:
    """Somebody has left the line's channel."""

    person_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """Somebody has moved the bot to another channel; the link goes on there."""

    place: Place


@dataclass(frozen=True, slots=True)
class ThrownOut:
    """Somebody has disconnected the bot."""


@dataclass(frozen=True, slots=True)
class ChannelGone:
    """The channel was deleted."""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The connection broke; it is being made anew."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The connection stands again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The connection could not be made anew; nobody tries any more."""

    trouble: JoinTrouble


@dataclass(frozen=True, slots=True, kw_only=True)
class MayNotSpeak:
    """On a stage, the bot is (or has become) one of the audience."""

    may_ask: bool
    """Whether it has asked to speak."""


@dataclass(frozen=True, slots=True)
class MaySpeak:
    """On a stage, the bot has become a speaker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restrained:
    """A moderator has muted or deafened the bot in the whole server, or takes that back."""

    is_muted: bool
    """Whether nobody hears it."""
    is_deafened: bool
    """Whether it hears nobody."""


VoiceEvent = (
    CameIn
    | WentOut
    | Moved
    | ThrownOut
    | ChannelGone
    | Interrupted
    | Restored
    | Lost
    | MayNotSpeak
    | MaySpeak
    | Restrained
)


class VoiceDoor(Protocol):
    """Leads into the voice channels; the bot can be in one of each server at a time."""

    async def join(self, place: Place, tell: Callable[[VoiceEvent], None]) -> VoiceLink:
        """Enter a voice channel, and return the link to it; it lasts until `leave`.

        Args:
            place: The voice channel. The bot must not be in another one of that server.
            tell: Told, on the loop's thread, what happens there from now on. After `ThrownOut`,
                `ChannelGone` and `Lost` nothing comes any more.

        Raises:
            VoiceJoinError: If that was not possible.
        """
        ...

    async def leave(self, guild_id: int) -> None:
        """Leave the voice channel of a server; harmless if the bot is in none. Never raises."""
        ...

    def where_is(self, person_id: int, guild_id: int) -> Place | None:
        """Return the voice channel that somebody is in."""
        ...

    async def people_in(self, place: Place) -> Sequence[Person]:
        """Return who is in a voice channel, bots left out, with their names and roles."""
        ...

    def is_stage(self, place: Place) -> bool:
        """Say whether a voice channel is a stage."""
        ...
