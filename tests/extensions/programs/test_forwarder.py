import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from extensions.process.child import running_child
from extensions.process.interpreter import program_command
from extensions.process.sockets import bound_unix_socket

WAIT_FOR_STDIN = ["/bin/sh", "-c", "echo up; read line; exit 3"]


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
        return number


@asynccontextmanager
async def forwarder(
    port: int, path: Path, command: list[str], *, hold_seconds: float = 20
) -> AsyncIterator[Process]:
    arguments = ["--hold", str(hold_seconds), f"{port}={path}", "--", *command]
    async with (
        asyncio.timeout(20),
        running_child(
            [*program_command("forwarder"), *arguments],
            cwd=path.parent,
            env={"PATH": "/usr/bin:/bin"},
        ) as child,
    ):
        yield child


async def becomes_true(condition: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - no event comes from another process
            await asyncio.sleep(0.01)


def connections_of(pid: int) -> list[object]:
    """Return the connections of a process, without the sockets that listen."""
    connections = psutil.Process(pid).net_connections("tcp")
    return [one for one in connections if one.status != psutil.CONN_LISTEN]


async def is_up(child: Process) -> None:
    assert child.stdout is not None
    assert await child.stdout.readline() == b"up\n"


@asynccontextmanager
async def upper_case_server(path: Path) -> AsyncIterator[list[bytes]]:
    """Answer one line, or what was said until its end, in capitals; give all that was said."""
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readline())
        writer.write(heard[-1].upper())
        await writer.drain()
        writer.close()

    async with await asyncio.start_unix_server(serve, sock=bound_unix_socket(path), limit=2**20):
        yield heard


async def ask(port: int, text: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    answer = await reader.read()
    writer.close()
    return answer


async def test_what_is_said_to_the_port_is_answered_by_the_socket(
    tmp_path: Path, port: int
) -> None:
    path = tmp_path / "a.sock"
    text = b"words " * 100_000 + b"%d\n"

    async with upper_case_server(path), forwarder(port, path, WAIT_FOR_STDIN) as child:
        await is_up(child)
        async with asyncio.TaskGroup() as tasks:
            answers = [tasks.create_task(ask(port, text % n)) for n in range(5)]

    assert [task.result() for task in answers] == [
        text.replace(b"words", b"WORDS") % n for n in range(5)
    ]


async def test_a_socket_may_have_a_long_path(tmp_path: Path, port: int) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()

    async with (
        upper_case_server(folder / "a.sock"),
        forwarder(port, folder / "a.sock", WAIT_FOR_STDIN) as child,
    ):
        await is_up(child)
        assert await ask(port, b"word\n") == b"WORD\n"


async def test_a_connection_is_held_until_somebody_listens_again(tmp_path: Path, port: int) -> None:
    path = tmp_path / "a.sock"
    # Of one who died: the file is there, and nobody listens.
    bound_unix_socket(path).close()

    async with forwarder(port, path, WAIT_FOR_STDIN) as child, asyncio.TaskGroup() as tasks:
        await is_up(child)
        answer = tasks.create_task(ask(port, b"word\n"))
        done, _ = await asyncio.wait([answer], timeout=0.3)
        assert not done
        async with upper_case_server(path):
            assert await answer == b"WORD\n"


async def test_a_connection_is_given_up_when_nobody_listens_in_time(
    tmp_path: Path, port: int
) -> None:
    path = tmp_path / "a.sock"

    async with forwarder(port, path, WAIT_FOR_STDIN, hold_seconds=0.1) as child:
        await is_up(child)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert await reader.read() == b""
        writer.close()


async def test_the_end_of_what_is_said_arrives_and_the_answer_still_comes(
    tmp_path: Path, port: int
) -> None:
    path = tmp_path / "a.sock"

    async with upper_case_server(path), forwarder(port, path, WAIT_FOR_STDIN) as child:
        await is_up(child)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"word")
        writer.write_eof()
        assert await reader.read() == b"WORD"
        writer.close()


async def test_what_was_asked_by_one_who_left_meanwhile_is_not_asked(
    tmp_path: Path, port: int
) -> None:
    path = tmp_path / "a.sock"

    async with forwarder(port, path, WAIT_FOR_STDIN) as child:
        await is_up(child)
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"pay\n")
        await becomes_true(lambda: bool(connections_of(child.pid)))
        writer.close()
        await writer.wait_closed()
        await becomes_true(lambda: not connections_of(child.pid))
        async with upper_case_server(path) as heard:
            assert await ask(port, b"word\n") == b"WORD\n"

    assert heard == [b"word\n"]


async def test_an_answer_that_breaks_off_breaks_the_connection(tmp_path: Path, port: int) -> None:
    path = tmp_path / "a.sock"
    listener = bound_unix_socket(path)
    listener.settimeout(20)

    async with forwarder(port, path, WAIT_FOR_STDIN) as child:
        await is_up(child)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        server, _ = await asyncio.to_thread(listener.accept)
        server.sendall(b"half")
        server.close()
        assert await reader.read() == b"half"
        writer.close()
    listener.close()


@asynccontextmanager
async def forgetful_server(path: Path, *, answers: int) -> AsyncIterator[list[bytes]]:
    """Answer so many lines of a connection in capitals, and break it off at the next."""
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for number in range(answers + 1):
            heard.append(await reader.readline())
            if number < answers:
                writer.write(heard[-1].upper())
                await writer.drain()
        writer.transport.abort()

    async with await asyncio.start_unix_server(serve, sock=bound_unix_socket(path)):
        yield heard


async def test_what_was_not_answered_is_asked_again_of_the_next_who_listens(
    tmp_path: Path, port: int
) -> None:
    path = tmp_path / "a.sock"
    listener = bound_unix_socket(path)
    listener.settimeout(20)

    async with forwarder(port, path, WAIT_FOR_STDIN) as child:
        await is_up(child)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"one\n")
        server, _ = await asyncio.to_thread(listener.accept)
        assert await asyncio.to_thread(server.recv, 100) == b"one\n"
        server.sendall(b"ONE\n")
        assert await reader.readline() == b"ONE\n"
        writer.write(b"two\n")
        assert await asyncio.to_thread(server.recv, 100) == b"two\n"
        listener.close()
        server.close()
        async with upper_case_server(path) as heard:
            assert await reader.readline() == b"TWO\n"
        writer.close()

    assert heard == [b"two\n"]


async def test_what_is_said_unasked_arrives_though_the_one_who_said_it_is_gone(
    tmp_path: Path, port: int
) -> None:
    path = tmp_path / "a.sock"
    listener = bound_unix_socket(path)
    listener.settimeout(20)

    def greet() -> None:
        for _ in range(200):
            server, _address = listener.accept()
            server.sendall(b"ok")
            server.close()

    async with forwarder(port, path, WAIT_FOR_STDIN) as child, asyncio.TaskGroup() as tasks:
        await is_up(child)
        tasks.create_task(asyncio.to_thread(greet))
        heard = [await ask(port, b"") for _ in range(200)]
    listener.close()

    assert set(heard) == {b"ok"}


async def test_what_nobody_ever_answers_is_given_up(tmp_path: Path, port: int) -> None:
    path = tmp_path / "mcp.sock"
    async with (
        forgetful_server(path, answers=0) as heard,
        forwarder(port, path, WAIT_FOR_STDIN) as child,
    ):
        await is_up(child)
        assert await ask(port, b"one\n") == b""

    assert heard == [b"one\n"] * 6


async def test_what_was_answered_in_part_is_not_asked_again(tmp_path: Path, port: int) -> None:
    path = tmp_path / "mcp.sock"
    async with (
        forgetful_server(path, answers=1) as heard,
        forwarder(port, path, WAIT_FOR_STDIN) as child,
    ):
        await is_up(child)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"one\n")
        assert await reader.readline() == b"ONE\n"
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()

    assert heard == [b"one\n", b""]


async def test_it_exits_as_its_command_does(tmp_path: Path, port: int) -> None:
    async with forwarder(port, tmp_path / "a.sock", ["/bin/sh", "-c", "exit 7"]) as child:
        assert await child.wait() == 7


async def test_a_signal_goes_on_to_the_command(tmp_path: Path, port: int) -> None:
    script = "trap 'echo asked; exit 9' TERM; echo up; while :; do sleep 0.01; done"

    async with forwarder(port, tmp_path / "a.sock", ["/bin/sh", "-c", script]) as child:
        await is_up(child)
        os.kill(child.pid, signal.SIGTERM)
        assert await child.wait() == 9


async def test_a_command_that_dies_of_a_signal_is_told_as_shells_do(
    tmp_path: Path, port: int
) -> None:
    async with forwarder(port, tmp_path / "a.sock", ["/bin/sh", "-c", "kill -9 $$"]) as child:
        assert await child.wait() == 128 + 9


async def test_a_command_that_is_not_there_is_told_as_shells_do(tmp_path: Path, port: int) -> None:
    async with forwarder(port, tmp_path / "a.sock", ["/no/such"]) as child:
        assert child.stderr is not None
        assert (await child.stderr.read()).startswith(b"cannot start /no/such: ")
        assert await child.wait() == 127


async def test_the_command_gets_the_environment_as_it_was_given(tmp_path: Path, port: int) -> None:
    async with forwarder(port, tmp_path / "a.sock", ["env"]) as child:
        assert child.stdout is not None
        assert await child.stdout.read() == b"PATH=/usr/bin:/bin\n"


async def test_its_modules_are_few(tmp_path: Path) -> None:
    path = program_command("forwarder")[-1]
    code = (
        "import os, sys; sys.argv = ['', '--', 'true'];"
        "os._exit = lambda code: print(*sys.modules);"
        f"exec(compile(open({path!r}).read(), {path!r}, 'exec'))"
    )
    async with running_child(
        [sys.executable, "-ISE", "-c", code], cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}
    ) as child:
        assert child.stdout is not None
        loaded = set((await child.stdout.read()).decode().split())

    assert "threading" in loaded
    assert not loaded & {"asyncio", "subprocess", "typing", "logging"}
