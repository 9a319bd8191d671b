"""Who takes part in a call: a client over its wires, or a person whom a test drives. Pure."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from simulator.discord.model import Account


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """20 ms of somebody's audio, as everybody in the call gets it."""

    sender: Account
    ssrc: int
    sequence: int
    timestamp: int
    payload: bytes
    """Opus, encrypted end to end where the call is."""


class Member(Protocol):
    """Somebody in a call."""

    @property
    def account(self) -> Account:
        """Who it is."""
        ...

    @property
    def ssrc(self) -> int:
        """By which their packets are known."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether what it says comes later, over a wire."""
        ...

    def meet(self, others: Collection["Member"]) -> None:
        """Hear who is in the call."""
        ...

    def part_from(self, other: "Member") -> None:
        """Hear who is in the call no more."""
        ...

    def notice_speaking(self, other: "Member") -> None:
        """Hear who is about to speak."""
        ...

    def hear(self, frame: Frame) -> None:
        """Get somebody's audio."""
        ...

    def begin(self, external_sender: bytes, *, is_anew: bool) -> bytes | None:
        """Be in no group.

        Args:
            external_sender: Who proposes.
            is_anew: Whether they were in the call's group before.

        Returns:
            A key package, unless it comes later.
        """
        ...

    def propose(self, payload: bytes, members: Collection[int]) -> bytes | None:
        """Take proposals; returns a commit, unless it comes later."""
        ...

    def announce(self, transition_id: int, commit: bytes) -> bool:
        """Take the commit that counts; returns whether they are ready for the new keys."""
        ...

    def welcome(self, transition_id: int, welcome: bytes, members: Collection[int]) -> bool:
        """Join a group; returns whether they are ready for its keys."""
        ...

    def execute(self, transition_id: int, members: Collection[int]) -> None:
        """Use the new keys from now on."""
        ...
