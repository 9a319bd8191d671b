"""A real MCP server of MCP's own package on loopback, over each of its transports."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import mcp_types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from starlette.types import ASGIApp, Receive, Scope, Send

from extensions.server.asgi import serving_asgi
from extensions.server.http import Doorstep, loopback_socket

_Context = ServerRequestContext[Any, Any]


@dataclass
class RemoteTools:
    """What it offers."""

    names: list[str] = field(default_factory=lambda: ["say", "hang", "grow", "fail", "long"])
    bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)
    headers: list[dict[str, str]] = field(default_factory=list)
    """Of the requests, as they came."""
    wanted_token: str | None = None
    """What the header `authorization` has to be; `None`: anything."""
    is_old: bool = False
    """Whether it knows the newest protocol as little as servers of last year."""
    is_compressed: bool = False
    """Whether it says that all it sends is compressed."""
    sessions: list[Any] = field(default_factory=list)

    async def list_tools(
        self, ctx: _Context, params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(mcp_types.INVALID_PARAMS, "there is one page only")
        self.sessions = [ctx.session]
        schema = {"type": "object", "properties": {"text": {"type": "string"}}}
        tools = [mcp_types.Tool(name=each, input_schema=schema) for each in self.names]
        return mcp_types.ListToolsResult(tools=tools)

    async def call_tool(
        self, _ctx: _Context, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        if params.name == "hang":
            await asyncio.Event().wait()
        if params.name == "grow":
            await self.grow()
        said = f"{params.name}: {(params.arguments or {}).get('text')}"
        if params.name == "long":
            said = "x" * 17 * 1024 * 1024
        content = mcp_types.TextContent(type="text", text=said)
        return mcp_types.CallToolResult(content=[content], is_error=params.name == "fail")

    async def grow(self) -> None:
        """Offer one more tool, and say so."""
        self.names.append("more")
        await self.bus.publish(ToolsListChanged())
        for session in self.sessions:
            await session.send_tool_list_changed()

    def server(self) -> Server[Any]:
        return Server(
            "remote",
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_subscriptions_listen=ListenHandler(self.bus),
            get_tool_input_schema=lambda _name: None,
        )

    def watched(self, app: ASGIApp) -> ASGIApp:
        """Return `app` as it is reached: the token is looked at first."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            self.headers.append(headers)
            if self.wanted_token not in {None, headers.get("authorization")}:
                await _refuse(send, 401)
            elif self.is_old and headers.get("mcp-protocol-version", "").startswith("2026"):
                await _refuse(send, 400)
            elif self.is_compressed:
                await _refuse(send, 200, [(b"content-encoding", b"gzip")])
            else:
                await app(scope, receive, send)

        return answer


async def _refuse(send: Send, status: int, headers: Sequence[tuple[bytes, bytes]] = ()) -> None:
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    await send({"type": "http.response.body", "body": b""})


@asynccontextmanager
async def serving_remote(
    tools: RemoteTools, *, port: int | None = None, json_response: bool = False
) -> AsyncGenerator[str, None]:
    """Serve over streamable HTTP, and yield the address."""
    manager = StreamableHTTPSessionManager(tools.server(), json_response=json_response)
    sock = loopback_socket(port)
    url = f"http://127.0.0.1:{sock.getsockname()[1]}/mcp"
    app = tools.watched(manager.asgi_app)
    async with manager.run(), serving_asgi(app, sock, Doorstep()):
        yield url


@asynccontextmanager
async def serving_events(tools: RemoteTools) -> AsyncGenerator[str, None]:
    """Serve over the old transport of server-sent events, and yield the address."""
    sse, server = SseServerTransport("/messages/"), tools.server()
    options = server.create_initialization_options(NotificationOptions(tools_changed=True))

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "POST" and scope["path"] == "/messages/":
            await sse.handle_post_message(scope, receive, send)
        elif scope["method"] == "GET":
            async with sse.connect_sse(scope, receive, send) as streams:
                await server.run(streams[0], streams[1], options)
        else:
            await _refuse(send, 405)

    sock = loopback_socket()
    async with serving_asgi(tools.watched(app), sock, Doorstep()):
        yield f"http://127.0.0.1:{sock.getsockname()[1]}/sse"
