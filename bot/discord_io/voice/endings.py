"""How a voice connection can end. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Broke:
    """The voice server closed it, or there was no answer any more."""

    code: int | None = None
    """With which it was closed."""


@dataclass(frozen=True, slots=True)
class Removed:
    """Discord has said that the bot is in no voice channel any more."""


@dataclass(frozen=True, slots=True)
class ChannelDeleted:
    """The channel, or the server, is not there any more."""


@dataclass(frozen=True, slots=True)
class WentDeaf:
    """What comes in cannot be decrypted any more, or nothing can come in."""


@dataclass(frozen=True, slots=True)
class SessionLost:
    """The login to Discord that it belongs to is over."""


Ending = Broke | Removed | ChannelDeleted | WentDeaf | SessionLost
