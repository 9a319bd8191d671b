"""The two doors of a jail: unix sockets that lead to the MCP server and the model gateway."""

import asyncio
import logging
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from extensions.process.sockets import bound_unix_socket

MCP_SOCKET = "mcp.sock"
API_SOCKET = "api.sock"

# More of them wait until one has ended; nothing in a jail can use up the bot's descriptors.
_MOST_CONNECTIONS = 64
_CHUNK_BYTES = 65536
_FLUSH_SECONDS = 5.0
_PAUSE_SECONDS = 1.0

logger = logging.getLogger(__name__)


@asynccontextmanager
async def job_sockets(folder: Path, *, mcp_port: int, api_port: int) -> AsyncGenerator[None, None]:
    """Lead `mcp.sock` and `api.sock` in `folder` to those ports of 127.0.0.1.

    Leaving the block closes both, and every connection that came through them.

    Raises:
        OSError: If a socket cannot be made.
    """
    async with (
        _leading(folder / MCP_SOCKET, mcp_port),
        _leading(folder / API_SOCKET, api_port),
    ):
        yield


@asynccontextmanager
async def _leading(path: Path, port: int) -> AsyncGenerator[None, None]:
    listener = bound_unix_socket(path)
    failure: BaseException | None = None
    try:
        async with asyncio.TaskGroup() as tasks:
            accepting = tasks.create_task(_accept(listener, port))
            try:
                yield
            except BaseException as error:  # noqa: BLE001 - raised below: the group would wrap it
                failure = error
            accepting.cancel()
    finally:
        # The file stays: the next bot may have put its own there by now.
        listener.close()
    if failure is not None:
        raise failure


async def _accept(listener: socket.socket, port: int) -> None:
    loop = asyncio.get_running_loop()
    free = asyncio.Semaphore(_MOST_CONNECTIONS)
    async with asyncio.TaskGroup() as tasks:
        while True:
            await free.acquire()
            try:
                near, _ = await loop.sock_accept(listener)
            except OSError as error:
                # Out of descriptors, most likely; the caller is kept waiting meanwhile.
                logger.warning("cannot accept a connection of a job: %s", error)
                free.release()
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            tasks.create_task(_led(near, port)).add_done_callback(lambda _: free.release())


async def _led(near: socket.socket, port: int) -> None:
    """Lead one connection; whatever becomes of it, the others go on."""
    try:
        await _lead(near, port)
    except Exception:
        logger.exception("a connection of a job broke")
    finally:
        near.close()


async def _lead(near: socket.socket, port: int) -> None:
    """Join one connection to the server until that one has ended."""
    near_reader, near_writer = await asyncio.open_unix_connection(sock=near)
    try:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError as error:
        logger.warning("cannot reach port %d for a job: %s", port, error)
        near_writer.transport.abort()
        return
    try:
        async with asyncio.TaskGroup() as tasks:
            upward = tasks.create_task(_pump(near_reader, far_writer))
            await _pump(far_reader, near_writer)
            # What the server has closed, it reads no more.
            upward.cancel()
        await _flush(near_writer)
    finally:
        far_writer.transport.abort()
        near_writer.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass bytes on until there are no more, and say so; at most some 100 KB are held."""
    try:
        while data := await reader.read(_CHUNK_BYTES):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except (OSError, RuntimeError) as error:  # uvloop raises the latter if the other end is closed
        logger.debug("a connection of a job broke: %s", error)


async def _flush(writer: asyncio.StreamWriter) -> None:
    writer.close()
    try:
        async with asyncio.timeout(_FLUSH_SECONDS):
            await writer.wait_closed()
    except OSError as error:  # a time-out is one, too
        logger.debug("a job did not take the end of an answer: %s", error)
