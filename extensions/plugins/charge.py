"""What a supervisor takes care of."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeVar

from extensions.rpc.peer import PeerEnd


class Watched(Protocol):
    """What a supervisor sees of a program that runs."""

    @property
    def last_heard(self) -> float:
        """When it was last heard of, or started; on the event loop's clock."""
        ...

    async def ended(self) -> PeerEnd:
        """Wait until it has ended, and return how."""
        ...


WatchedT = TypeVar("WatchedT", bound=Watched)


class Charge(Protocol[WatchedT]):
    """What is supervised: knows what its program is, and how one talks to it."""

    @property
    def id(self) -> str:
        """What it is called in the log."""
        ...

    @property
    def is_busy(self) -> bool:
        """Whether a call is open, which has a time limit of its own."""
        ...

    async def refusal(self) -> str | None:
        """Return why no program may be started for it now; `None`: one may."""
        ...

    def opened(self, epoch: int) -> AbstractAsyncContextManager[WatchedT]:
        """Start its program for as long as a block lasts; raises PeerStartError."""
        ...

    async def greet(self, peer: WatchedT) -> str | None:
        """Shake hands, and return why that came to nothing; `None`: it is of use."""
        ...

    async def answers(self, peer: WatchedT) -> bool:
        """Ping it, and return whether it is well."""
        ...

    async def part(self, peer: WatchedT, reason: str) -> None:
        """Tell it to end, and wait until it has."""
        ...

    def gone(self, reason: str, *, is_unasked: bool) -> None:
        """Take it that the program does not answer any more."""
        ...
