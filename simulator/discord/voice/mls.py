"""As much of MLS (RFC 9420) as a delivery service needs that proposes, but is in no group itself.

It signs proposals as an external sender, and reads of a commit which proposals it carries out.
"""

import hashlib
import struct
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_MLS_10 = 1
_P256_SUITE = 2
"""MLS_128_DHKEMP256_AES128GCM_SHA256_P256, the one that DAVE uses."""
_PUBLIC_MESSAGE = 1
_MEMBER, _EXTERNAL = 1, 2
_PROPOSAL, _COMMIT = 2, 3
_ADD, _REMOVE = 1, 3
_BASIC_CREDENTIAL = 1
_PROPOSAL_REFERENCE = 2
_FROM_KEY_PACKAGE, _FROM_COMMIT = 1, 3
_CAPABILITY_LISTS = 5
_LIFETIME_BYTES = 16
_APPEND = b"\x00"
_SENDERS_IDENTITY = bytes(8)


class MlsError(ValueError):
    """A client sent what is no MLS, or none that DAVE has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A signed proposal, and by what a commit names it."""

    message: bytes
    reference: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """What a client made of proposals."""

    epoch: int
    """The one that it ends."""
    leaf: int
    """Whose it is."""
    references: tuple[bytes, ...]
    """The proposals that it carries out, in order."""
    message: bytes
    """For who is in the group already."""
    welcome: bytes
    """For who joins; empty if nobody does."""


def vector(content: bytes) -> bytes:
    """Return content behind its length, as RFC 9420 §2.1.2 writes it."""
    for bits, prefix, size in ((6, 0, 1), (14, 1, 2), (30, 2, 4)):
        if len(content) < 1 << bits:
            return (prefix << (8 * size - 2) | len(content)).to_bytes(size) + content
    raise MlsError("longer than MLS can say")


class ExternalSender:
    """The voice server as it stands towards a group: it may propose who is added or removed."""

    def __init__(self, group_id: int) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._group_id = struct.pack(">Q", group_id)

    def package(self) -> bytes:
        """Return by what clients know its proposals: the payload of op 25."""
        public = self._key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        credential = struct.pack(">H", _BASIC_CREDENTIAL) + vector(_SENDERS_IDENTITY)
        return vector(public) + credential

    def add(self, epoch: int, key_package: bytes) -> Proposal:
        """Propose that somebody joins in an epoch's group."""
        return self._proposal(epoch, struct.pack(">H", _ADD) + key_package)

    def remove(self, epoch: int, leaf: int) -> Proposal:
        """Propose that somebody is in an epoch's group no more."""
        return self._proposal(epoch, struct.pack(">HI", _REMOVE, leaf))

    def _proposal(self, epoch: int, proposal: bytes) -> Proposal:
        sender = struct.pack(">BI", _EXTERNAL, 0)
        content = (
            vector(self._group_id)
            + struct.pack(">Q", epoch)
            + sender
            + vector(b"")
            + bytes([_PROPOSAL])
            + proposal
        )
        framed = struct.pack(">H", _PUBLIC_MESSAGE) + content
        version = struct.pack(">H", _MLS_10)
        # An external sender's signature does not cover the group's context (§6.1).
        signed = vector(b"MLS 1.0 FramedContentTBS") + vector(version + framed)
        authenticated = framed + vector(self._key.sign(signed, ec.ECDSA(hashes.SHA256())))
        labelled = vector(b"MLS 1.0 Proposal Reference") + vector(authenticated)
        return Proposal(
            message=version + authenticated, reference=hashlib.sha256(labelled).digest()
        )


def proposals_payload(proposals: list[Proposal]) -> bytes:
    """Return the payload of op 27 that brings new proposals."""
    return _APPEND + vector(b"".join(proposal.message for proposal in proposals))


def user_of_key_package(key_package: bytes) -> int:
    """Return whose key package it is: the payload of op 26.

    Raises:
        MlsError: If it is none.
    """
    reader = _Reader(key_package)
    reader.expect(2, _MLS_10)
    reader.expect(2, _P256_SUITE)
    for _ in ("init key", "encryption key", "signature key"):
        reader.vector()
    reader.expect(2, _BASIC_CREDENTIAL)
    return int.from_bytes(reader.vector())


def read_commit(data: bytes) -> Commit:
    """Return what stands in the payload of op 28.

    Raises:
        MlsError: If it is no commit of a member.
    """
    reader = _Reader(data)
    reader.expect(2, _MLS_10)
    reader.expect(2, _PUBLIC_MESSAGE)
    reader.vector()
    epoch = reader.number(8)
    reader.expect(1, _MEMBER)
    leaf = reader.number(4)
    reader.vector()
    reader.expect(1, _COMMIT)
    references = _references(reader.vector())
    if reader.number(1):
        _skip_leaf_node(reader)
        reader.vector()
    for _ in ("signature", "confirmation tag", "membership tag"):
        reader.vector()
    return Commit(
        epoch=epoch,
        leaf=leaf,
        references=references,
        message=data[: reader.position],
        welcome=data[reader.position :],
    )


def _references(proposals: bytes) -> tuple[bytes, ...]:
    reader = _Reader(proposals)
    found: list[bytes] = []
    while reader.position < len(proposals):
        # DAVE lets the voice server alone propose, so nothing stands inline.
        reader.expect(1, _PROPOSAL_REFERENCE)
        found.append(reader.vector())
    return tuple(found)


def _skip_leaf_node(reader: "_Reader") -> None:
    for _ in ("encryption key", "signature key"):
        reader.vector()
    reader.expect(2, _BASIC_CREDENTIAL)
    reader.vector()
    for _ in range(_CAPABILITY_LISTS):
        reader.vector()
    source = reader.number(1)
    if source == _FROM_KEY_PACKAGE:
        reader.number(_LIFETIME_BYTES)
    elif source == _FROM_COMMIT:
        reader.vector()
    for _ in ("extensions", "signature"):
        reader.vector()


class _Reader:
    """Reads one thing after another."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0

    def _take(self, size: int) -> bytes:
        end = self.position + size
        if end > len(self._data):
            raise MlsError("it ends too early")
        taken = self._data[self.position : end]
        self.position = end
        return taken

    def number(self, size: int) -> int:
        return int.from_bytes(self._take(size))

    def expect(self, size: int, wanted: int) -> None:
        found = self.number(size)
        if found != wanted:
            raise MlsError(f"{found} where {wanted} was expected")

    def vector(self) -> bytes:
        first = self.number(1)
        extra = (1 << (first >> 6)) - 1
        length = int.from_bytes(bytes([first & 0x3F]) + self._take(extra))
        return self._take(length)
