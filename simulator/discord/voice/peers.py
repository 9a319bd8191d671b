"""How a person's client takes part in end-to-end encryption (DAVE); by davey, unless told."""

from collections.abc import Callable, Collection
from typing import Protocol, TypeAlias

import davey

_PROTOCOL_VERSION = 1
SILENCE = b"\xf8\xff\xfe"
"""An Opus packet of silence; it is never encrypted end to end."""


class Peer(Protocol):
    """One client's side of a group."""

    def begin(self, external_sender: bytes) -> bytes:
        """Be in no group, and return a new key package."""
        ...

    def propose(self, payload: bytes, members: Collection[int]) -> bytes | None:
        """Take proposals (the payload of op 27), and return a commit of them (of op 28).

        Args:
            payload: What is proposed.
            members: Who is in the call; nobody else may be added.
        """
        ...

    def announce(self, commit: bytes) -> None:
        """Take a commit that was chosen (op 29)."""
        ...

    def welcome(self, welcome: bytes, members: Collection[int]) -> None:
        """Join a group (op 30)."""
        ...

    def execute(self, members: Collection[int]) -> None:
        """Use the new keys from now on (op 22)."""
        ...

    def encrypt(self, opus: bytes) -> bytes | None:
        """Return an Opus packet as the others may get it; `None` without a group."""
        ...

    def decrypt(self, user_id: int, frame: bytes) -> bytes | None:
        """Return the Opus packet of somebody; `None` if it cannot be read."""
        ...


PeerMaker: TypeAlias = Callable[[int, int, int], Peer]
"""Makes the peer of a user in a channel, who sends with an SSRC."""


class DaveyPeer:
    """A client on davey (OpenMLS)."""

    def __init__(self, user_id: int, channel_id: int, ssrc: int) -> None:
        del ssrc
        self._user_id = user_id
        self._channel_id = channel_id
        self._session = davey.DaveSession(_PROTOCOL_VERSION, user_id, channel_id)
        self._announced: bytes | None = None
        self._welcome: bytes | None = None

    @property
    def privacy_code(self) -> str | None:
        """What all members can compare to know that nobody listens in."""
        return self._session.voice_privacy_code

    def begin(self, external_sender: bytes) -> bytes:
        """Be in no group, and return a new key package."""
        self._announced = self._welcome = None
        self._session.reinit(_PROTOCOL_VERSION, self._user_id, self._channel_id)
        self._session.set_external_sender(external_sender)
        return self._session.get_serialized_key_package()

    def propose(self, payload: bytes, members: Collection[int]) -> bytes | None:
        """Take proposals, and return a commit of them."""
        kind = _kind(payload[0])
        made = self._session.process_proposals(kind, payload[1:], list(members))
        return None if made is None else made.commit + (made.welcome or b"")

    def announce(self, commit: bytes) -> None:
        """Keep a commit: davey would send with the new keys at once, before others have them."""
        self._announced = commit

    def welcome(self, welcome: bytes, members: Collection[int]) -> None:
        """Keep a welcome until the group's keys are used."""
        del members
        self._welcome = welcome

    def execute(self, members: Collection[int]) -> None:
        """Use the new keys from now on."""
        del members
        if self._announced is not None:
            self._session.process_commit(self._announced)
        if self._welcome is not None:
            self._session.process_welcome(self._welcome)
        self._announced = self._welcome = None

    def encrypt(self, opus: bytes) -> bytes | None:
        """Return an Opus packet as the others may get it; `None` without a group."""
        if opus == SILENCE:
            return opus
        return self._session.encrypt_opus(opus) if self._session.ready else None

    def decrypt(self, user_id: int, frame: bytes) -> bytes | None:
        """Return the Opus packet of somebody; `None` if it cannot be read."""
        try:
            return self._session.decrypt(user_id, davey.MediaType.audio, frame)
        except ValueError:
            return None


def _kind(number: int) -> davey.ProposalsOperationType:
    kinds = davey.ProposalsOperationType
    return kinds.append if number == 0 else kinds.revoke
