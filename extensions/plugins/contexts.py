"""The contexts that a plugin is given with each call, and what one of them still permits. Pure.

A context says on whose behalf the plugin was called. It holds as long as the process that it was
given to: one that a plugin kept over a restart is stale.
"""

from collections import OrderedDict
from dataclasses import dataclass
from enum import StrEnum

from extensions.hooks import Occasion

MOST_CONTEXTS = 1000
"""How many of the newest contexts of a plugin are known; older ones are stale."""


class ContextTier(StrEnum):
    """What a context permits. The values are those on the wire."""

    EVENT = "event"
    """It was told something: it may not act in the session."""
    COMMAND = "command"
    """It was asked to do something."""


@dataclass(frozen=True, slots=True)
class Current:
    """The context holds, and permits what was asked."""

    occasion: Occasion


@dataclass(frozen=True, slots=True)
class Stale:
    """It was given to an earlier process, was never given, or is too old."""


@dataclass(frozen=True, slots=True)
class WrongTier:
    """It holds, but does not permit what was asked."""


class Contexts:
    """The contexts of one plugin. Tokens come in: whoever mints them makes them unguessable."""

    def __init__(self, *, most: int = MOST_CONTEXTS) -> None:
        self._most = most
        self._epoch = 0
        self._given: OrderedDict[str, tuple[ContextTier, Occasion]] = OrderedDict()

    def begin_epoch(self, epoch: int) -> None:
        """Take it that another process of the plugin runs from now on: all others are stale."""
        self._epoch = epoch
        self._given.clear()

    def mint(self, tier: ContextTier, occasion: Occasion, *, secret: str) -> dict[str, str]:
        """Return a new context as it stands on the wire; `secret` is another one each time."""
        token = f"{self._epoch}.{secret}"
        self._given[token] = (tier, occasion)
        if len(self._given) > self._most:
            self._given.popitem(last=False)
        return {"token": token, "tier": str(tier)}

    def resolve(self, token: str, *, needs: ContextTier) -> Current | Stale | WrongTier:
        """Return on whose behalf something is asked with that token.

        What the plugin itself says of the tier does not count.
        """
        given = self._given.get(token)
        if given is None:
            return Stale()
        tier, occasion = given
        if needs is ContextTier.COMMAND and tier is not ContextTier.COMMAND:
            return WrongTier()
        return Current(occasion)
