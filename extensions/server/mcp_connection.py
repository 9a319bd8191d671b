"""A connection to an MCP server that is reached by an address, kept by a task of its own.

MCP's own package has a connection break down in the task that opened it, whoever's call it was that
went wrong: so that is a task that does nothing else.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from typing import Any, Protocol

import httpx2
import mcp_types
from mcp.client.client import Client
from mcp.client.session import IncomingMessage
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from extensions.rpc.errors import PeerStartError
from extensions.server.mcp_faults import is_theirs, reason_of
from extensions.server.mcp_http import ANSWER_BYTES, AnswerWatch, http_client

_AUTO = ("streamable_http", "sse")
_LISTEN_AGAIN_SECONDS = 5.0

logger = logging.getLogger(__name__)


class ServerAddress(Protocol):
    """Where a server is, and how it is reached."""

    @property
    def url(self) -> str:
        """Its address."""
        ...

    @property
    def transport(self) -> str:
        """`streamable_http`, `sse`, or `auto`: the first of the two that works."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """What is sent with each request."""
        ...

    @property
    def host_version(self) -> str:
        """Of Papercup."""
        ...

    @property
    def connect_seconds(self) -> float:
        """How long connecting may take, each way of it."""
        ...


class Connection:
    """A connection to a server; `keep` has to be running, and `listen` beside it."""

    def __init__(
        self, server: ServerAddress, *, heard: Callable[[], None], tools_changed: Callable[[], None]
    ) -> None:
        """Take a server.

        Args:
            server: Which one.
            heard: Called whenever it says something of itself.
            tools_changed: Called when it says that its tools have changed.
        """
        self._server = server
        self._heard = heard
        self._tools_changed = tools_changed
        self._client: Client | None = None
        self._reason: str | None = None
        self._is_decided = asyncio.Event()
        self._is_closing = asyncio.Event()
        self._is_over = asyncio.Event()

    @property
    def client(self) -> Client | None:
        """What speaks to it; `None` as long as it does not, and when it does no more."""
        return None if self._is_over.is_set() else self._client

    @property
    def reason(self) -> str:
        """Why it is over: a sentence's end."""
        return self._reason or "it was left"

    async def made(self) -> None:
        """Wait until it is there.

        Raises:
            PeerStartError: If that comes to nothing.
        """
        await self._is_decided.wait()
        if self._client is None:
            raise PeerStartError(self._server.url, self.reason)

    async def ended(self) -> None:
        """Wait until it is over."""
        await self._is_over.wait()

    async def close(self, *, timeout_seconds: float) -> None:
        """End it, and wait until it is over; not if it has not been made yet."""
        self._is_closing.set()
        if not self._is_decided.is_set():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_seconds):
                await self._is_over.wait()

    async def keep(self) -> None:
        """Connect, and stay connected until that breaks, or `close`."""
        transport = self._server.transport
        try:
            for each in _AUTO if transport == "auto" else (transport,):
                reason = await self._kept(each)
                if self._reason is None or self._client is not None:
                    self._reason = reason
                if self._client is not None or self._is_closing.is_set():
                    break
        finally:
            self._is_over.set()
            self._is_decided.set()

    async def listen(self) -> None:
        """Hear of changes of its tools, if it speaks the newest protocol: others just say so."""
        await self._is_decided.wait()
        client = self._client
        if client is None or client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return
        while not self._is_over.is_set():
            try:
                async with client.listen(tools_list_changed=True) as changes:
                    async for _ in changes:
                        self._told_of_change()
            except MCPError as error:
                if error.code == METHOD_NOT_FOUND:
                    return
            except SubscriptionLost as error:
                logger.debug("an MCP server tells no changes for a while: %s", error)
            await asyncio.sleep(_LISTEN_AGAIN_SECONDS)
            # There may have been one meanwhile.
            self._told_of_change()

    async def _kept(self, transport: str) -> str:
        """Connect in one way, and stay connected; return why that is over."""
        watch = AnswerWatch()
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(self._server.connect_seconds):
                    self._client = await self._connect(stack, transport, watch)
                self._is_decided.set()
                await self._is_closing.wait()
        except Exception as error:
            if not is_theirs(error):
                logger.exception("a connection to an MCP server failed")
            return reason_of(error, status=watch.refused_with)
        return "it was left"

    async def _connect(self, stack: AsyncExitStack, transport: str, watch: AnswerWatch) -> Client:
        # Servers that know the old transport alone are older than the newest protocol.
        mode = "legacy" if transport == "sse" else "auto"
        version = self._server.host_version
        client = Client(
            await self._streams(stack, transport, watch),
            mode=mode,
            cache=None,
            message_handler=self._told,
            client_info=mcp_types.Implementation(name="papercup", version=version),
        )
        return await stack.enter_async_context(client)

    async def _streams(
        self, stack: AsyncExitStack, transport: str, watch: AnswerWatch
    ) -> AbstractAsyncContextManager[Any]:
        url, headers = self._server.url, self._server.headers

        def open_http(
            headers: dict[str, str] | None = None,  # noqa: ARG001 - it has ours already
            timeout: httpx2.Timeout | None = None,  # noqa: ARG001 - ours are better
            auth: httpx2.Auth | None = None,  # noqa: ARG001 - there is none
        ) -> httpx2.AsyncClient:
            return http_client(self._server.headers, watch)

        if transport == "sse":
            return sse_client(url, httpx_client_factory=open_http)
        http = await stack.enter_async_context(http_client(headers, watch))
        return streamable_http_client(url, http_client=http, max_sse_event_size=ANSWER_BYTES)

    async def _told(self, message: IncomingMessage) -> None:
        self._heard()
        if isinstance(message, mcp_types.ToolListChangedNotification):
            self._told_of_change()

    def _told_of_change(self) -> None:
        self._heard()
        self._tools_changed()
