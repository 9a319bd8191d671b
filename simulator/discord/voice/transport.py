"""How packets are encrypted between a client and the voice server: Discord's `rtpsize` modes."""

import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from nacl.bindings import (
    crypto_aead_xchacha20poly1305_ietf_decrypt,
    crypto_aead_xchacha20poly1305_ietf_encrypt,
)
from nacl.exceptions import CryptoError

from simulator.discord.voice.settings import AES256_GCM, XCHACHA20

KEY_BYTES = 32
_COUNTER = struct.Struct(">I")
_COUNTERS = 1 << 32
_NONCE_BYTES = {AES256_GCM: 12, XCHACHA20: 24}
KNOWN_MODES = frozenset(_NONCE_BYTES)


class Transport:
    """One client's key; the header of a packet is authenticated, its body encrypted."""

    def __init__(self, mode: str, key: bytes) -> None:
        self.mode = mode
        self._key = key
        self._gcm = AESGCM(key)
        self._counter = 0

    def seal(self, header: bytes, body: bytes) -> bytes:
        """Return a whole packet."""
        self._counter = (self._counter + 1) % _COUNTERS
        counter = _COUNTER.pack(self._counter)
        nonce = counter.ljust(_NONCE_BYTES[self.mode], b"\0")
        if self.mode == AES256_GCM:
            sealed = self._gcm.encrypt(nonce, body, header)
        else:
            sealed = crypto_aead_xchacha20poly1305_ietf_encrypt(body, header, nonce, self._key)
        return header + sealed + counter

    def open(self, packet: bytes, *, header_bytes: int) -> bytes | None:
        """Return the body of a whole packet; `None` if it was not sealed with this key."""
        header, sealed = packet[:header_bytes], packet[header_bytes : -_COUNTER.size]
        nonce = packet[-_COUNTER.size :].ljust(_NONCE_BYTES[self.mode], b"\0")
        try:
            if self.mode == AES256_GCM:
                return self._gcm.decrypt(nonce, sealed, header)
            return crypto_aead_xchacha20poly1305_ietf_decrypt(sealed, header, nonce, self._key)
        # PyNaCl refuses what is too short to hold a tag with a ValueError, cryptography with
        # InvalidTag.
        except (InvalidTag, CryptoError, ValueError):
            return None
