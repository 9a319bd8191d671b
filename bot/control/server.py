"""Answers other processes of the same user: HTTP over a unix socket in the data folder."""

import asyncio
import logging
import os
import socket
import struct
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.access import Refused, authorize_process
from bot.control.status import STATUS_PATH, StatusReport, report_as_json
from extensions.process.sockets import bound_unix_socket

logger = logging.getLogger(__name__)

_SHUTDOWN_SECONDS = 0.5
_MAX_REQUEST_BYTES = 65_536
_CREDENTIALS = struct.Struct("3i")
"""Of a peer: its process, its user and its group."""


@asynccontextmanager
async def serving_control(
    path: Path, status: Callable[[], StatusReport], *, routes: Iterable[web.AbstractRouteDef] = ()
) -> AsyncGenerator[None, None]:
    """Answer on the socket `path`, which only the own user may open, for as long as the block runs.

    Args:
        path: The socket; one that a killed bot left behind is replaced.
        status: Says how the bot is; it is called on the event loop and has to be quick.
        routes: What else is answered.
    """

    async def answer_status(_: web.Request) -> web.Response:
        return web.Response(body=report_as_json(status()), content_type="application/json")

    application = web.Application(
        client_max_size=_MAX_REQUEST_BYTES, middlewares=[_refuse_other_users]
    )
    application.router.add_get(STATUS_PATH, answer_status)
    application.router.add_routes(routes)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        assert runner.server is not None
        server = await asyncio.get_running_loop().create_unix_server(
            runner.server, sock=bound_unix_socket(path)
        )
        try:
            yield
        finally:
            server.close()
            _remove(path)
    finally:
        await runner.cleanup()


@web.middleware
async def _refuse_other_users(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Let nobody else in, even if the socket or its folder was opened to them by mistake."""
    user_id = _peer_user_id(request)
    verdict = authorize_process(user_id, own_user_id=os.geteuid())
    if isinstance(verdict, Refused):
        logger.warning("the user %d asked over the control socket, and was refused", user_id)
        return web.json_response({"error": verdict.reason}, status=web.HTTPForbidden.status_code)
    return await handler(request)


def _peer_user_id(request: web.Request) -> int:
    assert request.transport is not None
    peer: Any = request.transport.get_extra_info("socket")
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user_id, _ = _CREDENTIALS.unpack(credentials)
    return int(user_id)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
