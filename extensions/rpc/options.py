"""How a peer is run, and who it belongs to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from extensions.process.families import FamilyLimits
from extensions.rpc.messages import Params, RequestId


class PeerOwner(Protocol):
    """Whoever a peer belongs to: is told what it asks and says."""

    async def requested(self, method: str, params: dict[str, Any], request_id: RequestId) -> Any:
        """Answer a request; cancelled when the peer takes it back, or ends.

        Raises:
            RpcError: What the peer is answered instead.
        """
        ...

    def notified(self, method: str, params: dict[str, Any]) -> None:
        """Take a notification; at once, as nothing else is read meanwhile."""
        ...

    def stderr(self, line: str) -> None:
        """Take a line that it wrote to its standard error; at once."""
        ...


def _cancel(call_id: int) -> tuple[str, Params]:
    return "$/cancel", {"id": call_id}


def _events_lost(lost: int) -> Params:
    return {"event": "events_lost", "payload": {"lost": lost}}


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerOptions:
    """How a peer is spoken to, and what it may cost."""

    name: str = "peer"
    """What it is called in the log."""
    frame_bytes: int = 16 * 1024 * 1024
    """How long a message may be, in either direction."""
    queued_bytes: int = 4 * 1024 * 1024
    """How much may wait until it reads: with that much, calls are refused at once."""
    first_id: int = 1
    """The number of our first call; the others follow."""
    open_calls: int = 8192
    """How many calls of ours may be open."""
    open_requests: int = 100
    """How many requests of its may be open; more are answered that it is too busy."""
    queued_events: int = 1024
    """How many events may wait until it reads; then the oldest are lost, and it is told so."""
    event_method: str = "event"
    """The method of the notification that tells an event."""
    events_lost: Callable[[int], Params] = _events_lost
    """Makes the params that tell how many events were lost."""
    cancelling: Callable[[int], tuple[str, Params]] = _cancel
    """Makes the notification that nobody waits for a call any more: its method and its params."""
    unasked_bytes_per_second: int = 50_000_000
    """How much may be read of it that answers nothing: beyond, it has to wait."""
    stderr_bytes_per_minute: int = 1_000_000
    """How much of its standard error is kept."""
    memory_bytes: int | None = None
    """How much memory it and all that it starts may take together."""
    processes: int | None = None
    """Of how many processes it may consist."""
    look_seconds: float = 1.0
    """How often these two are looked at."""

    @property
    def family(self) -> FamilyLimits:
        """How large it may become."""
        return FamilyLimits(memory_bytes=self.memory_bytes, processes=self.processes)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerEnd:
    """How a peer ended."""

    exit_code: int | None
    """The negative number of the signal that ended it, if one did; `None`: it is not known."""
    reason: str
    """A sentence's end, such as `it exited with code 3`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Farewell:
    """What a peer is told before it is stopped."""

    method: str
    params: Params
    is_request: bool
    """Whether it answers."""
