"""What is delivered to members of an end-to-end encrypted call (DAVE). Pure."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class SendProposals:
    """Op 27."""

    to: int
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SendCommit:
    """Op 29: to who was in the group before."""

    to: int
    transition_id: int
    commit: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SendWelcome:
    """Op 30: to who joins."""

    to: int
    transition_id: int
    welcome: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Execute:
    """Op 22: the new keys are used from now on."""

    to: tuple[int, ...]
    transition_id: int
    epoch: int
    committed_by: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StartAnew:
    """Op 24 for epoch 1: there is no group any more; a new key package is wanted."""

    to: int


Delivery: TypeAlias = SendProposals | SendCommit | SendWelcome | Execute | StartAnew
