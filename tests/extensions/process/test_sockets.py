import asyncio
import socket
from pathlib import Path

import pytest

from extensions.process.sockets import bound_unix_socket, open_unix, short_socket_path


@pytest.fixture(params=["short", "long" * 40])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path: Path = tmp_path / request.param
    path.mkdir()
    return path


async def heard(path: Path) -> bytes:
    reader, writer = await open_unix(path)
    text = await reader.read()
    writer.close()
    return text


async def say(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"hello")
    writer.close()


async def test_who_listens_at_a_path_is_reached_there(folder: Path) -> None:
    path = folder / "a.sock"

    async with (
        asyncio.timeout(10),
        await asyncio.start_unix_server(say, sock=bound_unix_socket(path)),
    ):
        assert await heard(path) == b"hello"


async def test_a_socket_that_was_left_behind_is_replaced(folder: Path) -> None:
    path = folder / "a.sock"
    bound_unix_socket(path).close()

    with pytest.raises(ConnectionRefusedError):
        await open_unix(path)
    async with (
        asyncio.timeout(10),
        await asyncio.start_unix_server(say, sock=bound_unix_socket(path)),
    ):
        assert await heard(path) == b"hello"


def test_a_socket_is_its_owners_alone(folder: Path) -> None:
    with bound_unix_socket(folder / "a.sock"):
        assert (folder / "a.sock").stat().st_mode & 0o777 == 0o600


def test_a_folder_that_is_not_there_raises_as_the_system_says(folder: Path) -> None:
    with pytest.raises(FileNotFoundError):
        bound_unix_socket(folder / "none" / "a.sock")


def test_a_short_path_is_left_as_it_is_and_a_long_one_becomes_short(tmp_path: Path) -> None:
    with short_socket_path(Path("/tmp/a.sock")) as address:
        assert address == "/tmp/a.sock"
    folder = tmp_path / ("long" * 40)
    folder.mkdir()
    with short_socket_path(folder / "a.sock") as address, socket.socket(socket.AF_UNIX) as one:
        one.bind(address)
    assert (folder / "a.sock").is_socket()
