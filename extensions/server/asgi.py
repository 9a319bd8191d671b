"""Serves an ASGI application inside this loop, with uvicorn's HTTP."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from extensions.server.http import BACKLOG, KEEP_ALIVE_SECONDS, Doorstep

_STOP_GRACE_SECONDS = 0.3


@asynccontextmanager
async def serving_asgi(
    app: ASGIApp, sock: socket.socket, doorstep: Doorstep
) -> AsyncGenerator[None, None]:
    """Serve `app` on `sock` until the block is left; then `sock` and every connection are closed.

    Not by `uvicorn.Server`: that one takes over the signals, wakes up ten times a second, and
    stops in steps of 0.1 s.
    """
    config = uvicorn.Config(
        app,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )
    config.load()
    state = ServerState()
    listener = await asyncio.get_running_loop().create_server(
        lambda: _Protocol(config, state, doorstep), sock=sock, backlog=BACKLOG
    )
    try:
        yield
    finally:
        listener.close()
        await _end(state)


async def _end(state: ServerState) -> None:
    """End every connection: those at rest at once, the others after a short grace."""
    for connection in list(state.connections):
        connection.shutdown()
    await _settle(state)
    for connection in list(state.connections):
        connection.transport.abort()
    await _settle(state)


async def _settle(state: ServerState) -> None:
    if state.tasks:
        await asyncio.wait(state.tasks, timeout=_STOP_GRACE_SECONDS)


class _Protocol(H11Protocol):
    """uvicorn's HTTP, whose new connections wait at the doorstep."""

    def __init__(self, config: uvicorn.Config, state: ServerState, doorstep: Doorstep) -> None:
        super().__init__(config, state, {})
        self._doorstep = doorstep
        self._peer: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast("asyncio.Transport", transport))
        self._peer = transport.get_extra_info("peername")
        self._doorstep.arrived(self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._doorstep.let_in(self._peer)
