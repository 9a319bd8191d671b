"""What every Claude that is started calls: the MCP server, and the gateway to the model."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.assembly.ground import Ground
from extensions.server.gateway import Gateway, serving_gateway
from extensions.server.mcp import McpServer, serving_mcp

_INSTRUCTIONS = "The tools of Papercup: start background jobs, and look at them."


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """Both of them, listening."""

    mcp: McpServer
    gateway: Gateway


@asynccontextmanager
async def serving_claudes(ground: Ground) -> AsyncGenerator[Servers, None]:
    """Serve while the block lasts, on the ports that jobs of an earlier bot know."""
    stores = ground.stores
    async with (
        serving_mcp(
            ground.registry,
            ground.callers,
            await stores.ports.listen("mcp"),
            instructions=_INSTRUCTIONS,
            hooks=ground.hooks,
        ) as mcp,
        serving_gateway(
            ground.callers,
            ground.ledger,
            upstream=ground.config.endpoints.messages_api,
            api_key=ground.secrets.anthropic_api_key.reveal(),
            sock=await stores.ports.listen("gateway"),
            book=stores.answers,
            hooks=ground.hooks,
        ) as gateway,
    ):
        yield Servers(mcp=mcp, gateway=gateway)
