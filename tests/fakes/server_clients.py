"""MCP clients, callers and tools for tests of the servers that Claudes call."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.client import Client, ConnectMode
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from extensions.callers import Caller, CallerKind, Callers, token_hash
from extensions.tools import Tool, ToolAnswer, ToolCall, ToolHandler

SPEAKER = Caller(CallerKind.SPEAKER, "session-1")
JOB = Caller(CallerKind.JOB, "0a1b2c3d")
SPEAKER_TOKEN = "speaker-token-7f3a"
JOB_TOKEN = "job-token-91bc"

EVERYONE = frozenset(CallerKind)


def callers() -> Callers:
    """Return callers that let in `SPEAKER` and `JOB`."""
    admitted = Callers()
    admitted.admit(SPEAKER, token_hash(SPEAKER_TOKEN))
    admitted.admit(JOB, token_hash(JOB_TOKEN))
    return admitted


def tool(
    name: str,
    handler: ToolHandler,
    *,
    properties: Mapping[str, Any] | None = None,
    required: tuple[str, ...] = (),
    offered_to: frozenset[CallerKind] = EVERYONE,
    read_only: bool = False,
) -> Tool:
    """Return a tool that takes those arguments, and no others."""
    schema = {
        "type": "object",
        "properties": dict(properties or {}),
        "required": list(required),
        "additionalProperties": False,
    }
    return Tool(
        name=name,
        description=f"What {name} does.",
        input_schema=schema,
        offered_to=offered_to,
        read_only=read_only,
        handler=handler,
    )


async def say_who(call: ToolCall) -> ToolAnswer:
    """Answer with who called, and for which tool use."""
    return ToolAnswer(f"{call.caller} {call.tool_use_id}")


@asynccontextmanager
async def mcp_client(
    url: str, token: str, *, mode: ConnectMode = "auto", **options: Any
) -> AsyncGenerator[Client, None]:
    """Connect the package's own client with that token."""
    headers = {"authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=10) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, **options) as client:
            yield client


def text_of(result: CallToolResult) -> str:
    """Return the text of a tool's answer."""
    return "".join(part.text for part in result.content if isinstance(part, TextContent))
