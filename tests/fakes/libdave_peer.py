"""A person whose encryption is Discord's own: libdave, by the package `dave.py`."""

from collections.abc import Collection

import dave

_VERSION = 1
SILENCE = b"\xf8\xff\xfe"


class LibdavePeer:
    """A client on libdave; it can read new keys before it sends with them."""

    def __init__(self, user_id: int, channel_id: int, ssrc: int) -> None:
        self.failures: list[tuple[str, str]] = []
        """What libdave complained about."""
        self._user_id = user_id
        self._channel_id = channel_id
        self._ssrc = ssrc
        self._signature = dave.SignatureKeyPair.generate(_VERSION)
        self._session = dave.Session(lambda *failure: self.failures.append(failure))
        self._encryptor = dave.Encryptor()
        self._encryptor.assign_ssrc_to_codec(ssrc, dave.Codec.opus)
        self._decryptors: dict[int, dave.Decryptor] = {}
        self._roster: dict[int, list[int]] = {}
        """The keys with which members sign; empty for who is gone."""

    def begin(self, external_sender: bytes) -> bytes:
        self._session.reset()
        self._session.init(_VERSION, self._channel_id, str(self._user_id), self._signature)
        self._session.set_external_sender(external_sender)
        key_package = self._session.get_marshalled_key_package()
        assert key_package is not None
        return key_package

    def propose(self, payload: bytes, members: Collection[int]) -> bytes | None:
        return self._session.process_proposals(payload, {str(user) for user in members})

    def announce(self, commit: bytes) -> None:
        changed = self._session.process_commit(commit)
        assert isinstance(changed, dict), changed
        self._roster.update(changed)
        self._read_keys()

    def welcome(self, welcome: bytes, members: Collection[int]) -> None:
        joined = self._session.process_welcome(welcome, {str(user) for user in members})
        assert joined is not None, self.failures
        self._roster = dict(joined)
        self._read_keys()

    def execute(self, members: Collection[int]) -> None:
        del members
        self._encryptor.set_key_ratchet(self._session.get_key_ratchet(str(self._user_id)))

    def encrypt(self, opus: bytes) -> bytes | None:
        if opus == SILENCE or not self._encryptor.has_key_ratchet():
            return opus if opus == SILENCE else None
        return self._encryptor.encrypt(dave.MediaType.audio, self._ssrc, opus)

    def decrypt(self, user_id: int, frame: bytes) -> bytes | None:
        decryptor = self._decryptors.get(user_id)
        return None if decryptor is None else decryptor.decrypt(dave.MediaType.audio, frame)

    def _read_keys(self) -> None:
        for user, signature in self._roster.items():
            ratchet = self._session.get_key_ratchet(str(user)) if signature else None
            if user != self._user_id and ratchet is not None:
                decryptor = self._decryptors.setdefault(user, dave.Decryptor())
                decryptor.transition_to_key_ratchet(ratchet)
