"""What Discord's servers cannot read: DAVE, the end-to-end encryption, by davey."""

from typing import Protocol

import davey

from voice.events import SILENCE

MARK = b"\xfa\xfa"
"""A frame that is encrypted ends with it."""


class Keys(Protocol):
    """What a voice connection encrypts with at this moment; it changes while the call lasts.

    The names are those that discord.py has for it.
    """

    @property
    def mode(self) -> str:
        """The `TransportMode`."""
        ...

    @property
    def secret_key(self) -> list[int]:
        """Of the transport; empty, or not there, until there is one."""
        ...

    @property
    def ssrc(self) -> int:
        """The bot's own stream."""
        ...

    @property
    def dave_session(self) -> davey.DaveSession | None:
        """The group that everyone in the call belongs to."""
        ...

    @property
    def dave_protocol_version(self) -> int:
        """0 if the call is not encrypted end to end: on stages."""
        ...


def is_ready(keys: Keys) -> bool:
    """Say whether what is said can be read by the people of the call alone."""
    session = keys.dave_session
    return keys.dave_protocol_version != 0 and session is not None and session.ready


def people(keys: Keys) -> list[int]:
    """Return everyone who has keys in the call, the bot included."""
    session = keys.dave_session
    return [] if session is None else [int(person_id) for person_id in session.get_user_ids()]


def decrypted(keys: Keys, person_id: int, frame: bytes) -> bytes | None:
    """Return what somebody said; `None` if it was not them, or cannot be read."""
    session = keys.dave_session
    if session is None or not session.ready:
        return None
    try:
        return session.decrypt(person_id, davey.MediaType.audio, frame)
    except ValueError:
        return None


def encrypted(keys: Keys, opus: bytes) -> bytes | None:
    """Return what may be sent; `None` if there are no keys yet: it is not sent in the clear."""
    if keys.dave_protocol_version == 0 or opus == SILENCE:
        return opus
    session = keys.dave_session
    if session is None or not session.ready:
        return None
    try:
        return session.encrypt_opus(opus)
    except ValueError:
        return None
