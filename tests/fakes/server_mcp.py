"""An MCP server with a tool or two."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from extensions.callers import Callers
from extensions.server.http import loopback_socket
from extensions.server.mcp import McpServer, serving_mcp
from extensions.server.tool_hooks import Hooks
from extensions.tools import ToolRegistry
from tests.fakes.server_clients import callers, say_who, tool

both_eras = pytest.mark.parametrize("mode", ["auto", "legacy"])


def registry_with_who() -> ToolRegistry:
    registry = ToolRegistry()
    registry.offer(tool("who", say_who))
    return registry


@asynccontextmanager
async def served(
    registry: ToolRegistry | None = None,
    admitted: Callers | None = None,
    hooks: Hooks | None = None,
) -> AsyncGenerator[McpServer, None]:
    async with (
        asyncio.timeout(20),
        serving_mcp(
            registry or registry_with_who(),
            admitted or callers(),
            loopback_socket(),
            instructions="What the bot can do.",
            hooks=hooks,
        ) as server,
    ):
        yield server
