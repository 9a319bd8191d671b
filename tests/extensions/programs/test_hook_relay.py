import asyncio
import os
import signal
import socket
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from extensions.process.interpreter import program_command

SAID = b'{"hook_event_name": "PreToolUse", "tool_name": "Bash"}'
TOKEN = "the-relay-token"
DENIED = b'{"hookSpecificOutput": {"permissionDecision": "deny"}}'

Handler = Callable[[StreamReader, StreamWriter], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a relay ended."""

    code: int | None
    stdout: bytes
    stderr: bytes


def http(body: bytes, *, status: str = "200 OK", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n\r\n".encode() + body


def saying(answer: bytes) -> Handler:
    """Return a handler that says `answer` to whoever asks."""

    async def handler(reader: StreamReader, writer: StreamWriter) -> None:
        await reader.readuntil(SAID)
        writer.write(answer)

    return handler


@asynccontextmanager
async def door(handler: Handler, port: int = 0) -> AsyncGenerator[int, None]:
    async def served(reader: StreamReader, writer: StreamWriter) -> None:
        try:
            await handler(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(served, "127.0.0.1", port)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def started(port: int, *arguments: str) -> Process:
    return await asyncio.create_subprocess_exec(
        *program_command("hook_relay"),
        *arguments,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env={"PAPERCUP_MCP_URL": f"http://127.0.0.1:{port}/mcp", "PAPERCUP_TOKEN": TOKEN},
    )


async def relayed(port: int, *arguments: str) -> Ended:
    async with asyncio.timeout(20):
        process = await started(port, *arguments)
        stdout, stderr = await process.communicate(SAID)
        return Ended(process.returncode, stdout, stderr)


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
        return number


@pytest.mark.parametrize("mode", ["closed", "open"])
async def test_what_the_bot_answers_is_what_claude_is_told(mode: str) -> None:
    heard = bytearray()

    async def handler(reader: StreamReader, writer: StreamWriter) -> None:
        heard.extend(await reader.readuntil(SAID))
        writer.write(http(b"papercup hook\n" + DENIED))

    async with door(handler) as port:
        ended = await relayed(port, mode, "10")

    assert ended == Ended(0, DENIED, b"")
    assert heard.startswith(b"POST /hook HTTP/1.1\r\n")
    assert f"Authorization: Bearer {TOKEN}\r\n".encode() in heard


NONSENSE = {
    "refused": (http(b"unauthorized", status="401 Unauthorized"), b"refused: unauthorized"),
    "an error": (http(b"oops", status="500 Internal Server Error"), b"refused: oops"),
    "another program": (http(b"<html>hello"), b"makes no sense"),
    "not even HTTP": (b"garbage\r\n\r\n" + DENIED, b"Papercup refused"),
    "no length": (b"HTTP/1.1 200 OK\r\n\r\npapercup hook\n", b"no length"),
    "two lengths": (
        b"HTTP/1.1 200 OK\r\nContent-Length: 14\r\nContent-Length: 2\r\n\r\npapercup hook\n",
        b"no length",
    ),
}


@pytest.mark.parametrize("answer", NONSENSE)
async def test_an_answer_that_makes_no_sense_permits_nothing(answer: str) -> None:
    data, reason = NONSENSE[answer]
    async with door(saying(data)) as port:
        strict = await relayed(port, "closed", "10")
        lenient = await relayed(port, "open", "10")

    assert (strict.code, strict.stdout) == (2, b"")
    assert reason in strict.stderr
    assert lenient == Ended(0, b"", b"")


async def test_who_is_not_answered_in_time_gives_up() -> None:
    async def deaf(reader: StreamReader, _writer: StreamWriter) -> None:
        while await reader.read(100):
            pass

    async with door(deaf) as port:
        strict = await relayed(port, "closed", "0.1")
        lenient = await relayed(port, "open", "0.1")

    assert strict.code == 2
    assert b"Papercup gave no answer in time" in strict.stderr
    assert lenient == Ended(0, b"", b"")


async def test_who_says_nothing_to_it_is_not_waited_for_either() -> None:
    async with asyncio.timeout(20):
        process = await started(closed_port(), "closed", "0.1")
        assert await process.wait() == 2


async def test_while_the_bot_is_away_nothing_is_permitted() -> None:
    strict = await relayed(closed_port(), "closed", "0.3")
    lenient = await relayed(closed_port(), "open", "10")

    assert strict.code == 2
    assert b"in time" in strict.stderr
    assert lenient == Ended(0, b"", b"")


async def test_a_bot_that_goes_away_before_it_has_answered_is_asked_again_when_it_is_back() -> None:
    answers = [
        http(b"papercup hook\n" + DENIED, length=1000),
        b"HTTP/1.1 200 OK\r\nContent-",
        b"",
        http(b"papercup hook\nnow"),
    ]

    async def handler(reader: StreamReader, writer: StreamWriter) -> None:
        await saying(answers.pop(0))(reader, writer)

    async with door(handler) as port:
        ended = await relayed(port, "closed", "10")

    assert ended == Ended(0, b"now", b"")
    assert answers == []


async def test_a_bot_that_comes_back_is_found() -> None:
    port = closed_port()
    async with asyncio.timeout(20):
        process = await started(port, "closed", "15")
        assert process.stdin is not None
        process.stdin.write(SAID)
        process.stdin.write_eof()
        async with door(saying(http(b"papercup hook\n")), port):
            assert await process.wait() == 0


async def test_a_relay_that_is_killed_has_not_permitted_anything() -> None:
    asked = asyncio.Event()

    async def handler(reader: StreamReader, _writer: StreamWriter) -> None:
        await reader.readuntil(SAID)
        asked.set()
        await reader.read()

    async with asyncio.timeout(20), door(handler) as port:
        process = await started(port, "closed", "15")
        assert process.stdin is not None
        process.stdin.write(SAID)
        process.stdin.write_eof()
        await asked.wait()
        os.kill(process.pid, signal.SIGTERM)

        assert await process.wait() not in {0, 2}


async def test_without_arguments_or_an_address_it_permits_nothing(tmp_path: Path) -> None:
    bare = await asyncio.create_subprocess_exec(
        *program_command("hook_relay"), stdin=PIPE, stderr=PIPE, cwd=tmp_path, env={}
    )
    await bare.communicate(b"")
    lost = await asyncio.create_subprocess_exec(
        *program_command("hook_relay"), "closed", "5", stdin=PIPE, stderr=PIPE, env={}
    )
    _, stderr = await lost.communicate(b"")

    assert bare.returncode not in {0, None}
    assert lost.returncode == 2
    assert b"PAPERCUP_MCP_URL" in stderr
