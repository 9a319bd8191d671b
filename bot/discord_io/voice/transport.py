"""How packets are sealed on their way between the bot and Discord."""

from enum import StrEnum

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from nacl.bindings import (
    crypto_aead_xchacha20poly1305_ietf_decrypt,
    crypto_aead_xchacha20poly1305_ietf_encrypt,
)
from nacl.exceptions import CryptoError

from bot.discord_io.voice.rtp import NONCE_BYTES, RtpPacket


class TransportMode(StrEnum):
    """The ways that Discord has; the value is its name for it."""

    AES_GCM = "aead_aes256_gcm_rtpsize"
    """Preferred, where the processor makes it cheap."""
    XCHACHA = "aead_xchacha20_poly1305_rtpsize"
    """There always is this one."""


_GCM_NONCE_BYTES = 12
_XCHACHA_NONCE_BYTES = 24


def opened(mode: str, key: bytes, packet: RtpPacket) -> bytes | None:
    """Return what is sealed in a packet; `None` if it was not sealed with that key."""
    try:
        if mode == TransportMode.AES_GCM:
            nonce = packet.nonce.ljust(_GCM_NONCE_BYTES, b"\0")
            return AESGCM(key).decrypt(nonce, packet.sealed, packet.header)
        nonce = packet.nonce.ljust(_XCHACHA_NONCE_BYTES, b"\0")
        return crypto_aead_xchacha20poly1305_ietf_decrypt(packet.sealed, packet.header, nonce, key)
    except (InvalidTag, CryptoError):
        return None


def sealed(mode: str, key: bytes, number: int, header: bytes, audio: bytes) -> bytes:
    """Return a whole packet.

    Args:
        mode: A `TransportMode`.
        key: The connection's.
        number: A different one for each packet that is sealed with the same key.
        header: Of the packet.
        audio: Its payload.
    """
    short = number.to_bytes(NONCE_BYTES)
    if mode == TransportMode.AES_GCM:
        body = AESGCM(key).encrypt(short.ljust(_GCM_NONCE_BYTES, b"\0"), audio, header)
    else:
        nonce = short.ljust(_XCHACHA_NONCE_BYTES, b"\0")
        body = crypto_aead_xchacha20poly1305_ietf_encrypt(audio, header, nonce, key)
    return header + body + short
