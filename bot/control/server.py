"""Answers other processes of the same user: HTTP over a unix socket in the data folder."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from bot.control.status import STATUS_PATH, StatusReport, report_as_json
from extensions.process.sockets import bound_unix_socket

_SHUTDOWN_SECONDS = 0.5
_MAX_REQUEST_BYTES = 65_536


@asynccontextmanager
async def serving_control(
    path: Path, status: Callable[[], StatusReport]
) -> AsyncGenerator[None, None]:
    """Answer on the socket `path`, which only the own user may open, for as long as the block runs.

    Args:
        path: The socket; one that a killed bot left behind is replaced.
        status: Says how the bot is; it is called on the event loop and has to be quick.
    """

    async def answer_status(_: web.Request) -> web.Response:
        return web.Response(body=report_as_json(status()), content_type="application/json")

    application = web.Application(client_max_size=_MAX_REQUEST_BYTES)
    application.router.add_get(STATUS_PATH, answer_status)
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


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
