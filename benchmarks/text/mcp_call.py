"""How long a tool call takes over MCP, against the bare server of the `mcp` package."""

import asyncio
import logging
import secrets
import socket
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import mcp_types
import uvicorn
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from starlette.requests import Request

from benchmarks.rows import Row, Target
from benchmarks.samples import Samples
from extensions.callers import Caller, CallerKind, Callers, token_hash
from extensions.server.http import loopback_socket
from extensions.server.mcp import serving_mcp
from extensions.tools import Tool, ToolAnswer, ToolCall, ToolRegistry

CALLS_PER_ROUND = 50
_TIMES_LONGER = 1.25
_WARM_UP_CALLS = 25
_CALL_SECONDS = 30.0
_TOOL = "look_up"
_DESCRIPTION = "Looks a word up."
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
_ARGUMENTS = {"word": "papercup"}
_ANSWER = "It is a cup made of paper."


@dataclass(frozen=True, slots=True, kw_only=True)
class McpCalls:
    """What was measured."""

    ours: Samples
    bare: Samples

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        return [
            Row(
                name="MCP tool call: times the bare server's",
                value=self.ours.median / self.bare.median,
                unit="times",
                target=Target("≤", _TIMES_LONGER),
                against="the `mcp` package's bare server, which checks neither token nor"
                " arguments, measured in turns with it; medians",
            ),
            *self.ours.rows(
                "MCP tool call, our server",
                against="tools/call until its answer, by the `mcp` package's client",
            ),
            *self.bare.rows(
                "MCP tool call, bare server",
                against="by the same client; uvicorn and TCP_NODELAY, as ours",
            ),
        ]


async def measure(rounds: int) -> McpCalls:
    """Measure it, call by call in turns, so that what disturbs one disturbs the other."""
    ours: list[float] = []
    bare: list[float] = []
    async with (
        _our_server() as (our_url, token),
        _bare_server() as bare_url,
        _client(our_url, token) as our_client,
        _client(bare_url, token) as bare_client,
    ):
        for number in range(_WARM_UP_CALLS + rounds * CALLS_PER_ROUND):
            taken = await _call(our_client), await _call(bare_client)
            if number >= _WARM_UP_CALLS:
                ours.append(taken[0])
                bare.append(taken[1])
    return McpCalls(ours=Samples(ours), bare=Samples(bare))


async def _call(client: Client) -> float:
    async with asyncio.timeout(_CALL_SECONDS):
        began = time.perf_counter()
        result = await client.call_tool(_TOOL, _ARGUMENTS)
        taken = time.perf_counter() - began
    assert not result.is_error
    assert result.content == [mcp_types.TextContent(type="text", text=_ANSWER)]
    return taken


@asynccontextmanager
async def _client(url: str, token: str) -> AsyncGenerator[Client, None]:
    headers = {"authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=_CALL_SECONDS) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


@asynccontextmanager
async def _our_server() -> AsyncGenerator[tuple[str, str], None]:
    async def look_up(call: ToolCall) -> ToolAnswer:
        del call
        return ToolAnswer(_ANSWER)

    registry, callers, token = ToolRegistry(), Callers(), secrets.token_urlsafe()
    callers.admit(Caller(CallerKind.SPEAKER, "benchmark"), token_hash(token))
    registry.offer(
        Tool(
            name=_TOOL,
            description=_DESCRIPTION,
            input_schema=_SCHEMA,
            offered_to=frozenset(CallerKind),
            handler=look_up,
        )
    )
    async with serving_mcp(registry, callers, loopback_socket()) as server:
        yield server.url, token


@asynccontextmanager
async def _bare_server() -> AsyncGenerator[str, None]:
    config = uvicorn.Config(
        _bare_app().streamable_http_app(),
        log_config=None,
        log_level=logging.ERROR,
        access_log=False,
    )
    server, sock = uvicorn.Server(config), loopback_socket()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve(sockets=[sock]))
        try:
            yield f"http://127.0.0.1:{_port(sock)}/mcp"
        finally:
            server.should_exit = True


def _port(sock: socket.socket) -> int:
    port: int = sock.getsockname()[1]
    return port


def _bare_app() -> Server[Any]:
    async def list_tools(
        _ctx: ServerRequestContext[Any, Request], _params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        tool = mcp_types.Tool(name=_TOOL, description=_DESCRIPTION, input_schema=_SCHEMA)
        return mcp_types.ListToolsResult(tools=[tool])

    async def call_tool(
        _ctx: ServerRequestContext[Any, Request], _params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        text = mcp_types.TextContent(type="text", text=_ANSWER)
        return mcp_types.CallToolResult(content=[text])

    return Server(
        "bare",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        # Else each call would have all tools listed first.
        get_tool_input_schema=lambda _name: None,
    )
