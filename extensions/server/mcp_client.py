"""The client for MCP servers that are reached by an address."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

from extensions.rpc.errors import (
    BadAnswerError,
    PeerGoneError,
    PeerTimeoutError,
    RpcError,
)
from extensions.rpc.peer import PeerEnd
from extensions.server.mcp_connection import Connection, ServerAddress
from extensions.server.mcp_faults import reason_of

_CLOSE_SECONDS = 3.0
_CLOSED = "Connection closed"
"""What the package says when it was no answer that it got."""

T = TypeVar("T")


@asynccontextmanager
async def connected_server(
    server: ServerAddress, *, tools_changed: Callable[[], None]
) -> AsyncGenerator["RemoteLink", None]:
    """Connect to a server for as long as the block lasts.

    Args:
        server: Which one.
        tools_changed: Called when it says that its tools have changed.

    Raises:
        PeerStartError: If it cannot be connected to.
    """
    link = RemoteLink(server, tools_changed)
    failure: BaseException | None = None
    async with asyncio.TaskGroup() as tasks:
        keeping = tasks.create_task(link.connection.keep())
        listening = tasks.create_task(link.connection.listen())
        try:
            await link.connection.made()
            yield link
        except BaseException as error:  # noqa: BLE001 - raised below: the group would wrap it
            failure = error
        listening.cancel()
        await link.stop(grace_seconds=_CLOSE_SECONDS)
        keeping.cancel()
    if failure is not None:
        raise failure


class RemoteLink:
    """A connection to a server, for those who ask it."""

    def __init__(self, server: ServerAddress, tools_changed: Callable[[], None]) -> None:
        """Take a server; `connected_server` connects to it."""
        self._loop = asyncio.get_running_loop()
        self._last_heard = self._loop.time()
        self._counts = Counter[str]()
        self.connection = Connection(server, heard=self._heard, tools_changed=tools_changed)

    @property
    def pid(self) -> None:
        """None: it was not started by us."""
        return

    @property
    def last_heard(self) -> float:
        """When its last message came, or it was connected to; on the event loop's clock."""
        return self._last_heard

    @property
    def counts(self) -> Mapping[str, int]:
        """What has happened so far, by name."""
        return self._counts

    async def shake_hands(
        self,
        *,
        timeout_seconds: float,  # noqa: ARG002 - it takes none
    ) -> str | None:
        """Return that all is agreed on: that is part of connecting."""
        return None

    async def list_tools(self, cursor: str | None, *, timeout_seconds: float) -> Any:
        """Return a page of its tools; raises what `use` does."""
        return await self._asked(
            "tools/list", lambda client: client.list_tools(cursor=cursor), timeout_seconds
        )

    async def use(self, tool: str, arguments: Mapping[str, Any], *, timeout_seconds: float) -> Any:
        """Use a tool, and return what it gave back, as it is on the wire.

        Raises:
            RpcError: If the server answered with an error.
            PeerError: If it gave no answer, or one that is none.
        """
        return await self._asked(
            "tools/call", lambda client: client.call_tool(tool, dict(arguments)), timeout_seconds
        )

    async def ping(self, *, timeout_seconds: float) -> None:
        """Have it answer; raises what `use` does."""
        await self._asked("ping", _pinged, timeout_seconds)

    async def ended(self) -> PeerEnd:
        """Wait until it is of no use any more, and return how that came."""
        await self.connection.ended()
        return PeerEnd(exit_code=None, reason=self.connection.reason)

    async def stop(self, *, grace_seconds: float) -> None:
        """Take leave of it."""
        await self.connection.close(timeout_seconds=grace_seconds)

    async def _asked(
        self, method: str, ask: Callable[[Client], Awaitable[T]], timeout_seconds: float
    ) -> Any:
        client = self.connection.client
        if client is None:
            raise PeerGoneError(self.connection.reason)
        self._counts["calls"] += 1
        limit = asyncio.timeout(timeout_seconds)
        try:
            async with limit:
                result = await ask(client)
        except TimeoutError as error:
            if not limit.expired():
                raise BadAnswerError(reason_of(error)) from error
            self._counts["timeouts"] += 1
            raise PeerTimeoutError(method, timeout_seconds) from None
        except MCPError as error:
            if error.code == CONNECTION_CLOSED and error.message == _CLOSED:
                raise PeerGoneError("the connection was closed") from error
            self._heard()
            raise RpcError(error.code, error.message, error.data) from error
        except (ValidationError, RuntimeError) as error:
            raise BadAnswerError(reason_of(error)) from error
        self._heard()
        return _on_the_wire(result)

    def _heard(self) -> None:
        self._last_heard = self._loop.time()


async def _pinged(client: Client) -> None:
    session = client.session
    if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
        # The newest protocol has no ping.
        await session.send_discover(client.protocol_version)
    else:
        await session.send_ping()


def _on_the_wire(result: object) -> Any:
    if isinstance(result, BaseModel):
        return result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return result
