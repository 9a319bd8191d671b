"""The bot's own servers, around a Messages API whose model the benchmark writes."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.speaker.pool import SpeakerSettings
from extensions.callers import Callers
from extensions.claude.binary import find_claude
from extensions.server.gateway import serving_gateway
from extensions.server.http import loopback_socket
from extensions.server.ledger import AnswerLedger
from extensions.server.mcp import serving_mcp
from extensions.tools import ToolRegistry
from simulator.messages_api import MessagesApi, Script, running_messages_api

_TURN_SECONDS = 60.0
_KEY = "sk-ant-benchmark"


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What a Claude needs to be spoken to."""

    callers: Callers
    settings: SpeakerSettings
    api: MessagesApi
    mcp_port: int
    api_port: int


@asynccontextmanager
async def open_house(folder: Path, script: Script) -> AsyncGenerator[House, None]:
    """Serve all that a speaker calls while the block lasts.

    Args:
        folder: Where Claude keeps its things.
        script: What the model says.
    """
    claude = await find_claude(None)
    callers = Callers()
    async with (
        running_messages_api(script) as api,
        serving_mcp(ToolRegistry(), callers, loopback_socket()) as mcp,
        serving_gateway(
            callers, AnswerLedger(), upstream=api.url, api_key=_KEY, sock=loopback_socket()
        ) as gateway,
    ):
        settings = SpeakerSettings(
            claude=claude.path,
            mcp_url=mcp.url,
            api_url=gateway.url,
            home=folder / "home",
            sessions=folder / "sessions",
            model=None,
            effort=None,
            turn_timeout_seconds=_TURN_SECONDS,
            search_path=os.environ.get("PATH", os.defpath),
        )
        yield House(
            callers=callers,
            settings=settings,
            api=api,
            mcp_port=mcp.port,
            api_port=gateway.port,
        )
