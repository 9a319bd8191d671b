"""What a test may choose about the Discord it gets."""

from dataclasses import dataclass, field

from simulator.discord.voice.settings import VoiceSettings


@dataclass(slots=True, kw_only=True)
class Settings:
    """How this Discord behaves; may be changed while it runs."""

    token: str = "MTAwMDAwMDAwMDAwMDAwMDAw.simulated.token"  # noqa: S105 - it opens nothing
    """What the bot must log in with."""
    gateway_url: str = "wss://gateway.discord.gg"
    """Where clients are told that the gateway is."""
    heartbeat_seconds: float = 41.25
    """How often a client must give a sign of life; after twice that it is thrown out."""
    is_message_content_allowed: bool = True
    """Whether the portal's switch for the message content intent is on."""
    acknowledge_seconds: float = 3.0
    """Time in which an interaction must be acknowledged."""
    interaction_seconds: float = 15 * 60.0
    """How long an interaction's token is good for."""
    nonce_seconds: float = 3 * 60.0
    """How long a nonce is remembered."""
    is_nonce_in_history: bool = False
    """Whether messages that are read later still tell their nonces; Discord does not promise it."""
    attachment_bytes: int = 10 * 1024 * 1024
    """How large a file may be that the bot uploads."""
    sends_per_minute: int = 120
    """How many frames a gateway client may send in 60 seconds; at the next it is thrown out."""
    renames_per_ten_minutes: int = 2
    """How often the bot may give a channel or a thread another name."""
    event_delay_seconds: float = 0.0
    """How late each event arrives at the client."""
    session_starts: int = 1000
    """How many sessions may be started in `session_start_seconds`. Whoever starts another one
    loses the token."""
    session_start_seconds: float = 24 * 3600.0
    voice: VoiceSettings = field(default_factory=VoiceSettings)
    """How voice behaves."""
