import asyncio
import socket
import stat
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

import aiohttp
import pytest
import uvloop

from extensions.process.sockets import open_unix
from extensions.server.http import loopback_socket
from extensions.server.job_sockets import job_sockets
from extensions.server.mcp import serving_mcp
from extensions.tools import ToolRegistry
from tests.fakes.server_clients import JOB_TOKEN, callers
from tests.fakes.waiting import until

BIG = bytes(range(256)) * 20_000


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Send everything back, then say that it was all."""
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.write(b"<end>")
    writer.close()


@asynccontextmanager
async def echoing() -> AsyncGenerator[int, None]:
    sock = loopback_socket()
    async with asyncio.timeout(10), await asyncio.start_server(echo, sock=sock):
        yield sock.getsockname()[1]


async def test_what_goes_in_comes_out_though_the_client_stops_sending_first(
    tmp_path: Path,
) -> None:
    async with echoing() as port, job_sockets(tmp_path, mcp_port=port, api_port=port):
        for name in ("mcp.sock", "api.sock"):
            reader, writer = await open_unix(tmp_path / name)
            async with asyncio.TaskGroup() as tasks:
                received = tasks.create_task(reader.read(-1))
                writer.write(BIG)
                writer.write_eof()
            writer.close()
            assert received.result() == BIG + b"<end>"


async def test_each_socket_leads_to_its_own_port(tmp_path: Path) -> None:
    async def say_api(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"api")
        writer.close()

    sock = loopback_socket()
    async with (
        echoing() as mcp_port,
        await asyncio.start_server(say_api, sock=sock),
        job_sockets(tmp_path, mcp_port=mcp_port, api_port=sock.getsockname()[1]),
    ):
        reader, writer = await open_unix(tmp_path / "api.sock")
        assert await reader.read() == b"api"
        writer.close()


async def test_the_sockets_are_for_their_owner_alone_and_their_path_may_be_long(
    tmp_path: Path,
) -> None:
    folder = tmp_path / ("x" * 100) / ("y" * 100)
    folder.mkdir(parents=True)
    async with echoing() as port, job_sockets(folder, mcp_port=port, api_port=port):
        modes = [stat.S_IMODE((folder / name).stat().st_mode) for name in ("mcp.sock", "api.sock")]
        reader, writer = await open_unix(folder / "mcp.sock")
        writer.write_eof()
        assert await reader.read() == b"<end>"
        writer.close()

    assert modes == [0o600, 0o600]


async def test_leaving_the_block_ends_every_connection_and_lets_nobody_new_in(
    tmp_path: Path,
) -> None:
    async with echoing() as port:
        async with job_sockets(tmp_path, mcp_port=port, api_port=port):
            reader, writer = await open_unix(tmp_path / "mcp.sock")
            writer.write(b"hello")
            assert await reader.readexactly(5) == b"hello"
        with pytest.raises(ConnectionRefusedError):
            await open_unix(tmp_path / "mcp.sock")
        assert await reader.read() == b""
        writer.close()


async def test_a_new_block_takes_the_place_of_an_old_one(tmp_path: Path) -> None:
    async with echoing() as port:
        for _ in range(2):
            async with job_sockets(tmp_path, mcp_port=port, api_port=port):
                reader, writer = await open_unix(tmp_path / "mcp.sock")
                writer.write_eof()
                assert await reader.read() == b"<end>"
                writer.close()


async def test_a_client_whose_server_is_not_there_is_told_by_the_end_of_its_connection(
    tmp_path: Path,
) -> None:
    with loopback_socket() as unused:
        port = unused.getsockname()[1]
    async with asyncio.timeout(10), job_sockets(tmp_path, mcp_port=port, api_port=port):
        reader, writer = await open_unix(tmp_path / "mcp.sock")
        assert await reader.read() == b""
        writer.close()


async def test_a_client_that_goes_away_is_gone_for_the_server_too(tmp_path: Path) -> None:
    gone = asyncio.Event()

    async def pour(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                writer.write(bytes(65536))
                await writer.drain()
        except ConnectionError:
            gone.set()

    sock = loopback_socket()
    port = sock.getsockname()[1]
    async with (
        asyncio.timeout(10),
        await asyncio.start_server(pour, sock=sock),
        job_sockets(tmp_path, mcp_port=port, api_port=port),
    ):
        reader, writer = await open_unix(tmp_path / "mcp.sock")
        await reader.readexactly(65536)
        writer.transport.abort()
        await gone.wait()


async def test_a_client_that_does_not_read_holds_the_server_back(tmp_path: Path) -> None:
    sent = 0

    async def pour(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        while not writer.is_closing():
            writer.write(bytes(65536))
            await writer.drain()
            sent += 65536

    async def has_stopped() -> bool:
        before = sent
        await asyncio.sleep(0.1)
        return sent == before > 0

    sock = loopback_socket()
    port = sock.getsockname()[1]
    async with (
        asyncio.timeout(20),
        await asyncio.start_server(pour, sock=sock),
        job_sockets(tmp_path, mcp_port=port, api_port=port),
    ):
        _, writer = await open_unix(tmp_path / "mcp.sock")
        await until(has_stopped)
        writer.transport.abort()

    assert sent < 64 * 1024 * 1024


async def test_more_connections_than_one_job_may_have_wait_for_their_turn(tmp_path: Path) -> None:
    async with echoing() as port, job_sockets(tmp_path, mcp_port=port, api_port=port):
        pairs = [await open_unix(tmp_path / "mcp.sock") for _ in range(80)]
        for _, writer in pairs:
            writer.write_eof()
        ends = [await reader.read() for reader, _ in pairs]
        for _, writer in pairs:
            writer.close()

    assert ends == [b"<end>"] * 80


async def test_the_mcp_server_is_reached_through_a_socket(tmp_path: Path) -> None:
    sock = loopback_socket()
    port = sock.getsockname()[1]
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    async with (
        asyncio.timeout(10),
        serving_mcp(ToolRegistry(), callers(), sock),
        job_sockets(tmp_path, mcp_port=port, api_port=port),
    ):
        connector = aiohttp.UnixConnector(str(tmp_path / "mcp.sock"))
        async with aiohttp.ClientSession(connector=connector) as http:
            statuses = []
            for token in (JOB_TOKEN, "wrong"):
                headers = {
                    "authorization": f"Bearer {token}",
                    "accept": "application/json, text/event-stream",
                }
                async with http.post(
                    "http://127.0.0.1:4001/mcp", json=body, headers=headers
                ) as answer:
                    statuses.append(answer.status)

    # Without a session a ping is refused, but by the server and not by its gate.
    assert statuses == [400, 401]


async def test_an_error_in_the_block_comes_out_of_it_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="mine"):
        async with job_sockets(tmp_path, mcp_port=1, api_port=1):
            raise ValueError("mine")


async def test_a_block_that_is_cancelled_ends(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), job_sockets(tmp_path, mcp_port=1, api_port=1):
            await asyncio.Event().wait()


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_client_that_is_killed_in_the_midst_of_an_answer_harms_nobody_else(
    tmp_path: Path, new_loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(ConnectionError, RuntimeError):
            while not reader.at_eof():
                writer.write(b"x" * 1000)
                await writer.drain()
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.002):
                        await reader.read(1)

    def look_and_leave() -> None:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(tmp_path / "api.sock"))
            assert client.recv(10)

    async def scene() -> None:
        sock = loopback_socket()
        async with (
            asyncio.timeout(20),
            await asyncio.start_server(drip, sock=sock),
            echoing() as port,
            job_sockets(tmp_path, mcp_port=port, api_port=sock.getsockname()[1]),
        ):
            for _ in range(50):
                await asyncio.to_thread(look_and_leave)
            reader, writer = await open_unix(tmp_path / "mcp.sock")
            writer.write_eof()
            assert await reader.read() == b"<end>"
            writer.close()

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(scene())
