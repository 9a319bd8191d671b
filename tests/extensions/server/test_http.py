import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import cast

from extensions.server.http import Doorstep, DoorstepOptions, loopback_socket


def test_the_preferred_port_is_taken_again_once_it_is_free() -> None:
    with loopback_socket() as first:
        port = first.getsockname()[1]
    with loopback_socket(port) as second:
        assert second.getsockname() == ("127.0.0.1", port)


def test_another_port_is_taken_while_the_preferred_one_is_in_use() -> None:
    with loopback_socket() as first:
        port = first.getsockname()[1]
        with loopback_socket(port) as second:
            assert second.getsockname()[0] == "127.0.0.1"
            assert second.getsockname()[1] != port


async def test_connections_send_small_answers_at_once() -> None:
    options: list[int] = []

    async def look(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = writer.get_extra_info("socket")
        options.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    sock = loopback_socket()
    async with asyncio.timeout(5), await asyncio.start_server(look, sock=sock):
        reader, writer = await asyncio.open_connection(*sock.getsockname())
        await reader.read()
        writer.close()

    assert options == [1]


@asynccontextmanager
async def arriving(doorstep: Doorstep) -> AsyncGenerator[tuple[str, int], None]:
    """Serve connections that stand at the doorstep and are never answered."""

    class Standing(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            doorstep.arrived(cast("asyncio.Transport", transport))

    sock = loopback_socket()
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(5), await loop.create_server(Standing, sock=sock):
        yield sock.getsockname()


async def until_closed(reader: asyncio.StreamReader) -> None:
    with suppress(ConnectionResetError):
        assert await reader.read() == b""


async def test_who_shows_no_token_in_time_is_turned_away() -> None:
    doorstep = Doorstep(DoorstepOptions(seconds=0.01))
    async with arriving(doorstep) as address:
        reader, writer = await asyncio.open_connection(*address)
        await until_closed(reader)
        writer.close()

    assert len(doorstep) == 0


async def test_where_too_many_wait_the_one_that_came_first_goes() -> None:
    doorstep = Doorstep(DoorstepOptions(limit=1, seconds=60))
    async with arriving(doorstep) as address:
        first, first_writer = await asyncio.open_connection(*address)
        _, second_writer = await asyncio.open_connection(*address)
        await until_closed(first)
        peer = second_writer.get_extra_info("sockname")
        assert len(doorstep) == 1
        doorstep.let_in(peer)
        assert len(doorstep) == 0
        for writer in (first_writer, second_writer):
            writer.close()
