import asyncio
import json
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import uvloop

from bot.control.client import read_status
from bot.control.server import serving_control
from bot.control.status import StatusReport, report_as_json, report_of_json
from bot.errors import ControlError
from extensions.process.sockets import bound_unix_socket

REPORT = StatusReport(
    pid=4711,
    started_at=1_750_000_000.5,
    version="0.1.0",
    discord="connected",
    bot_user="papercup",
    jail="bubblewrap",
    claude_version="2.1.0",
    jobs={"running": 2, "completed": 5},
    conversations=1,
    mcp_url="http://127.0.0.1:4001/mcp",
)


def _answer_once(listener: socket.socket, answer: bytes) -> None:
    listener.settimeout(5)
    connection, _ = listener.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(answer)


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
@pytest.mark.parametrize("depth", [0, 12])
def test_a_running_bot_says_how_it_is_whatever_the_length_of_the_path(
    tmp_path: Path, depth: int, new_loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    path = tmp_path.joinpath(*["a-long-name"] * depth) / "control.sock"
    path.parent.mkdir(parents=True, exist_ok=True)

    async def ask() -> tuple[StatusReport | None, int]:
        async with serving_control(path, lambda: REPORT), asyncio.timeout(5):
            return await asyncio.to_thread(read_status, path), path.stat().st_mode & 0o777

    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert runner.run(ask()) == (REPORT, 0o600)
    assert not path.exists()
    assert read_status(path) is None


async def test_each_answer_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    reports = iter([REPORT, replace(REPORT, conversations=2)])

    async with asyncio.timeout(5), serving_control(path, lambda: next(reports)):
        answers = [await asyncio.to_thread(read_status, path) for _ in range(2)]

    assert answers == [REPORT, replace(REPORT, conversations=2)]


async def test_the_server_ends_although_a_client_holds_its_connection_open(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    async with asyncio.timeout(5):
        async with serving_control(path, lambda: REPORT):
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(b"GET /api/status HTTP/1.1\r\nHost: x\r\n\r\n")
            assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
        await reader.read()
        writer.close()
        await writer.wait_closed()


async def test_a_socket_that_a_killed_bot_left_behind_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    bound_unix_socket(path).close()
    assert read_status(path) is None

    async with asyncio.timeout(5), serving_control(path, lambda: REPORT):
        assert await asyncio.to_thread(read_status, path) == REPORT


def test_where_there_is_no_data_folder_no_bot_runs(tmp_path: Path) -> None:
    assert read_status(tmp_path / "missing" / "control.sock") is None


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "it answered 404 Not Found"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "its answer is not understood"),
        (b"hello\r\n", "it cannot be asked"),
        (b"", "it cannot be asked"),
    ],
)
def test_an_answer_that_is_not_as_it_should_be_is_an_error(
    tmp_path: Path, answer: bytes, reason: str
) -> None:
    path = tmp_path / "control.sock"

    async def ask(listener: socket.socket) -> None:
        async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
            tasks.create_task(asyncio.to_thread(_answer_once, listener, answer))
            with pytest.raises(ControlError, match=reason):
                await asyncio.to_thread(read_status, path)

    with bound_unix_socket(path) as listener:
        asyncio.run(ask(listener))


def test_a_bot_that_does_not_answer_in_time_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    with bound_unix_socket(path), pytest.raises(ControlError, match="has not answered within"):
        read_status(path, timeout_seconds=0.05)


async def test_there_is_nothing_else_to_be_asked(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    async with asyncio.timeout(5), serving_control(path, lambda: REPORT):
        for request, status in [("POST /api/status", 405), ("GET /", 404)]:
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(f"{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            assert (await reader.readline()).split()[1] == str(status).encode()
            writer.close()
            await writer.wait_closed()


def test_a_report_is_read_as_it_was_written_and_what_a_newer_bot_adds_is_left_out() -> None:
    document = json.loads(report_as_json(REPORT))
    assert report_of_json(json.dumps(document | {"mood": "fine"}).encode()) == REPORT
