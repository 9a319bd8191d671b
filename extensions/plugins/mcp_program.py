"""MCP servers that are programs: spoken to over their standard input and output.

MCP's own package is not used for them: a byte that is no UTF-8 ends its connection, and a line that
never ends takes all memory.
"""

import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extensions.plugins.mcp_wire import fault_of_greeting, hello
from extensions.plugins.peers import OpenPeer, PluginPeer
from extensions.plugins.plain_lines import plain_line
from extensions.process.limits import ProcessLimits
from extensions.rpc.errors import ErrorCode, RpcError
from extensions.rpc.messages import Params, RequestId
from extensions.rpc.peer import PeerEnd, PeerOptions, running_peer

_TOOLS_CHANGED = "notifications/tools/list_changed"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramServer:
    """An MCP server that is a program."""

    name: str
    """What it is called in the log."""
    command: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    host_version: str
    limits: ProcessLimits = field(default_factory=ProcessLimits)
    memory_bytes: int | None = None
    processes: int | None = None
    open_peer: OpenPeer = running_peer


class ProgramLink:
    """A connection to one. It satisfies `ServerLink`."""

    def __init__(self, peer: PluginPeer, host_version: str) -> None:
        self._peer = peer
        self._host_version = host_version

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._peer.pid

    @property
    def last_heard(self) -> float:
        """When its last message came, or it was started; on the event loop's clock."""
        return self._peer.last_heard

    @property
    def counts(self) -> Mapping[str, int]:
        """What has happened so far, by name."""
        return self._peer.counts

    async def shake_hands(self, *, timeout_seconds: float) -> str | None:
        """Agree on how to talk; return why that is not possible."""
        result = await self._peer.call(
            "initialize", hello(self._host_version), timeout_seconds=timeout_seconds
        )
        fault = fault_of_greeting(result)
        if fault is None:
            self._peer.notify("notifications/initialized", {})
        return fault

    async def list_tools(self, cursor: str | None, *, timeout_seconds: float) -> Any:
        """Return a page of its tools."""
        params = {} if cursor is None else {"cursor": cursor}
        return await self._peer.call("tools/list", params, timeout_seconds=timeout_seconds)

    async def use(self, tool: str, arguments: Mapping[str, Any], *, timeout_seconds: float) -> Any:
        """Use a tool, and return what it gave back."""
        params = {"name": tool, "arguments": dict(arguments)}
        return await self._peer.call("tools/call", params, timeout_seconds=timeout_seconds)

    async def ping(self, *, timeout_seconds: float) -> None:
        """Have it answer."""
        await self._peer.call("ping", {}, timeout_seconds=timeout_seconds)

    async def ended(self) -> PeerEnd:
        """Wait until it has ended, and return how."""
        return await self._peer.ended()

    async def stop(self, *, grace_seconds: float) -> None:
        """Close its standard input, which tells it to end, and wait until it has."""
        await self._peer.stop(grace_seconds=grace_seconds)


@asynccontextmanager
async def opened_program(
    server: ProgramServer, *, tools_changed: Callable[[], None]
) -> AsyncGenerator[ProgramLink, None]:
    """Start a server for as long as the block lasts.

    Args:
        server: Which one.
        tools_changed: Called when it says that its tools have changed.

    Raises:
        PeerStartError: If it cannot be started.
    """
    async with server.open_peer(
        list(server.command),
        cwd=server.cwd,
        env=server.env,
        owner=_Owner(server.name, tools_changed),
        options=PeerOptions(
            name=server.name,
            cancelling=_cancelled,
            memory_bytes=server.memory_bytes,
            processes=server.processes,
        ),
        limits=server.limits,
    ) as peer:
        yield ProgramLink(peer, server.host_version)


class _Owner:
    """Is told what a server asks and says: nothing of it is served but `ping`."""

    def __init__(self, name: str, tools_changed: Callable[[], None]) -> None:
        self._name = name
        self._tools_changed = tools_changed

    async def requested(
        self,
        method: str,
        params: dict[str, Any],  # noqa: ARG002 - none of them has to do with a ping
        request_id: RequestId,  # noqa: ARG002 - nothing is known by it here
    ) -> Any:
        if method == "ping":
            return {}
        raise RpcError(ErrorCode.METHOD_NOT_FOUND, f"method not found: {method}")

    def notified(self, method: str, params: dict[str, Any]) -> None:  # noqa: ARG002 - see above
        if method == _TOOLS_CHANGED:
            self._tools_changed()

    def stderr(self, line: str) -> None:
        logger.info("%s says: %s", self._name, plain_line(line))


def _cancelled(call_id: int) -> tuple[str, Params]:
    reason = "nobody waits for it any more"
    return "notifications/cancelled", {"requestId": call_id, "reason": reason}
