"""What a test may choose about the voice of the Discord it gets. Pure."""

from dataclasses import dataclass

XCHACHA20 = "aead_xchacha20_poly1305_rtpsize"
AES256_GCM = "aead_aes256_gcm_rtpsize"


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """What becomes of packets on their way; shares are from 0 to 1."""

    loss: float = 0.0
    """Share that never arrives."""
    duplication: float = 0.0
    """Share that arrives twice."""
    reordering: float = 0.0
    """Share that is held back, so that later ones overtake it."""
    held_back_seconds: float = 0.05
    """How long such a packet is held back."""
    jitter_seconds: float = 0.0
    """How late a packet is at most; each is late by another time."""


@dataclass(slots=True, kw_only=True)
class VoiceSettings:
    """How voice behaves; may be changed while it runs."""

    endpoint: str = "rotterdam1.discord.media:443"
    """Where the bot is told that its voice server is."""
    modes: tuple[str, ...] = (AES256_GCM, XCHACHA20)
    """The ways in which packets may be encrypted on the way to the server, the preferred first."""
    dave_version: int = 1
    """Of end-to-end encryption; 0: there is none. Stage channels never have it."""
    heartbeat_seconds: float = 13.75
    """How often a client must give a sign of life; after twice that it is thrown out."""
    ready_seconds: float = 2.0
    """How long a client may take until it is ready for new keys; then they are used anyway."""
    does_bot_commit: bool = False
    """Whether the bot, where it can, is the one whose commit makes the new keys."""
    is_speaking_told: bool = True
    """Whether the bot is told who speaks (op 5), and so to whom packets belong."""
    is_server_told_again: bool = False
    """Whether a bot that asks once more for the channel in which it is, is told its voice server
    once more. What Discord does is not documented."""
    padded_share: float = 0.1
    """Share of the packets to the bot that are padded; 3 to 15 % are on Discord."""
    has_extension: bool = True
    """Whether packets to the bot carry a header extension."""
    to_bot: Network = Network()
    """What becomes of packets to the bot."""
    from_bot: Network = Network()
    """What becomes of packets of the bot."""
