"""What is needed of a connection to an MCP server, whichever way it is reached."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from extensions.rpc.peer import PeerEnd


class ServerLink(Protocol):
    """A connection to an MCP server. What it returns are results as they are on the wire."""

    @property
    def pid(self) -> int | None:
        """Of the server, if it is a program that was started for this."""
        ...

    @property
    def last_heard(self) -> float:
        """When it was last heard of, or was opened; on the event loop's clock."""
        ...

    @property
    def counts(self) -> Mapping[str, int]:
        """What has happened so far, by name: for people's eyes."""
        ...

    async def shake_hands(self, *, timeout_seconds: float) -> str | None:
        """Agree on how to talk; return why that is not possible; `None`: it is.

        Raises:
            RpcError: If the server refused.
            PeerError: If it gave no answer.
        """
        ...

    async def list_tools(self, cursor: str | None, *, timeout_seconds: float) -> Any:
        """Return a page of its tools; raises what `shake_hands` does."""
        ...

    async def use(self, tool: str, arguments: Mapping[str, Any], *, timeout_seconds: float) -> Any:
        """Use a tool, and return what it gave back; raises what `shake_hands` does."""
        ...

    async def ping(self, *, timeout_seconds: float) -> None:
        """Have it answer; raises what `shake_hands` does."""
        ...

    async def ended(self) -> PeerEnd:
        """Wait until it is of no use any more, and return how that came."""
        ...

    async def stop(self, *, grace_seconds: float) -> None:
        """Tell it to end, and wait until it has."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteServer:
    """An MCP server that is reached by an address."""

    url: str
    transport: str
    """`streamable_http`, `sse` or `auto`."""
    headers: Mapping[str, str]
    host_version: str
    connect_seconds: float


class OpenRemote(Protocol):
    """Connects to MCP servers that are reached by an address."""

    def __call__(
        self, server: RemoteServer, *, tools_changed: Callable[[], None]
    ) -> AbstractAsyncContextManager[ServerLink]:
        """Connect for as long as the block lasts; raises PeerStartError if that cannot be done."""
        ...
