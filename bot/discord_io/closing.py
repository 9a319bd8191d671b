"""Closes a client of discord.py, and what it has forgotten."""

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

import aiohttp
import discord
from discord.gateway import KeepAliveHandler, VoiceKeepAliveHandler

logger = logging.getLogger(__name__)

Client = TypeVar("Client", bound=discord.Client)

_CLOSE_SECONDS = 2.0


@asynccontextmanager
async def closed_in_the_end(client: Client) -> AsyncGenerator[Client]:
    """Close `client` when the block ends, be it in good order or not."""
    try:
        yield client
    finally:
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                await client.close()
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            logger.info("the Discord client did not close in good order: %r", error)
        await client.http.close()
        await _end_forgotten_connections()


async def _end_forgotten_connections() -> None:
    """Close a connection that was broken off while it was being made, and end its heartbeat.

    discord.py does not know of such a connection yet; there is never more than one client.
    """
    for thread in threading.enumerate():
        if isinstance(thread, KeepAliveHandler):
            thread.stop()
            socket = _socket_of(thread)
            with suppress(TimeoutError, aiohttp.ClientError, OSError):
                async with asyncio.timeout(_CLOSE_SECONDS):
                    await socket.close()


def _socket_of(thread: KeepAliveHandler) -> aiohttp.ClientWebSocketResponse:
    """Return what a heartbeat keeps open."""
    if isinstance(thread, VoiceKeepAliveHandler):
        return thread.ws.ws
    return thread.ws.socket
