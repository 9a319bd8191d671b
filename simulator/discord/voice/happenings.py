"""What happened in voice channels, for the journal. Pure."""

from dataclasses import dataclass

from simulator.discord.model import Account, Channel


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceStateChanged:
    """Somebody joined or left a voice channel, or can be heard or hears no more, or again."""

    at_seconds: float
    account: Account
    channel: Channel | None
    """Where they are now; `None`: nowhere."""
    can_speak: bool
    can_hear: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceRefused:
    """The bot asked for a voice channel and was not let in; Discord does not say so to a bot."""

    at_seconds: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceOpened:
    """A client is connected to the voice server."""

    at_seconds: float
    account: Account
    mode: str
    """How packets are encrypted on their way; empty while that is not settled."""
    was_resumed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceClosed:
    """A client's connection to the voice server ended."""

    at_seconds: float
    code: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRekeyed:
    """Those in a call use new keys."""

    at_seconds: float
    channel: Channel
    epoch: int
    members: tuple[int, ...]
    """The ids of those who have the keys."""
    committed_by: int
    """The id of the one whose commit made them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakingStarted:
    """Somebody said that they send, or will send, packets."""

    at_seconds: float
    account: Account


VoiceHappening = (
    VoiceStateChanged | VoiceRefused | VoiceOpened | VoiceClosed | CallRekeyed | SpeakingStarted
)
