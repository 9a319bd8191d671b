"""What the host needs of a plugin's program: that of `extensions.rpc`, as one that can be faked."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

from extensions.process.limits import ProcessLimits
from extensions.rpc.peer import Farewell, Params, PeerEnd, PeerOptions, PeerOwner


class PluginPeer(Protocol):
    """A running program."""

    @property
    def pid(self) -> int:
        """Its process id."""
        ...

    @property
    def last_heard(self) -> float:
        """When its last message came, or it was started; on the event loop's clock."""
        ...

    @property
    def counts(self) -> Mapping[str, int]:
        """What has happened so far, by name."""
        ...

    async def call(self, method: str, params: Params, *, timeout_seconds: float) -> Any:
        """Ask it, and return its answer; see `Peer`."""
        ...

    def notify(self, method: str, params: Params) -> None:
        """Tell it something."""
        ...

    def observe(self, event_params: Callable[[int], Params]) -> None:
        """Tell it an event, behind all else."""
        ...

    async def ended(self) -> PeerEnd:
        """Wait until it has ended, and return how."""
        ...

    async def stop(self, farewell: Farewell | None = None, *, grace_seconds: float) -> PeerEnd:
        """Tell it to end, and kill its process group after the grace."""
        ...


class OpenPeer(Protocol):
    """Starts programs."""

    def __call__(
        self,
        command: list[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        owner: PeerOwner,
        options: PeerOptions,
        limits: ProcessLimits,
    ) -> AbstractAsyncContextManager[PluginPeer]:
        """Start one, and end it when the block is left; raises PeerStartError."""
        ...
