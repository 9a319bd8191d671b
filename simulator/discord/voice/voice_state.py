"""Somebody in a voice channel. Pure."""

from dataclasses import dataclass

from simulator.discord.model import Account, Channel


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceState:
    """Somebody in a voice channel."""

    account: Account
    channel: Channel
    session_id: str
    """Of the client with which they are there."""
    is_muted: bool = False
    """Whether a moderator let nobody hear them."""
    is_deafened: bool = False
    """Whether a moderator let them hear nobody."""
    is_self_muted: bool = False
    is_self_deafened: bool = False
    is_suppressed: bool = False
    """Whether they may listen only."""
    asked_to_speak_at_seconds: float | None = None
    """In a stage channel, when they raised their hand; monotonic."""

    @property
    def can_speak(self) -> bool:
        """Whether others would hear them."""
        return not (self.is_muted or self.is_self_muted or self.is_suppressed)

    @property
    def can_hear(self) -> bool:
        """Whether they hear others."""
        return not (self.is_deafened or self.is_self_deafened)
