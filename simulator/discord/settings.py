"""What a test may choose about the Discord it gets."""

from dataclasses import dataclass


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
