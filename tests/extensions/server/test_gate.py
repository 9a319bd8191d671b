import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from starlette.types import Receive, Scope, Send

from extensions.callers import Callers
from extensions.server.asgi import serving_asgi
from extensions.server.gate import CALLER, Gate
from extensions.server.http import Doorstep, DoorstepOptions, loopback_socket
from tests.fakes.server_clients import JOB, JOB_TOKEN, SPEAKER_TOKEN, callers
from tests.fakes.waiting import until


async def say_caller(scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer with who was let in."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(scope[CALLER]).encode()})


@asynccontextmanager
async def guarded(admitted: Callers, doorstep: Doorstep | None = None) -> AsyncGenerator[str, None]:
    doorstep = Doorstep() if doorstep is None else doorstep
    sock = loopback_socket()
    port = sock.getsockname()[1]
    gate = Gate(say_caller, admitted, doorstep, hook_door=say_caller)
    async with asyncio.timeout(10), serving_asgi(gate, sock, doorstep):
        yield f"http://127.0.0.1:{port}"


async def test_a_token_says_who_calls() -> None:
    async with guarded(callers()) as url, aiohttp.ClientSession() as http:
        said = []
        for token in (SPEAKER_TOKEN, JOB_TOKEN):
            headers = {"authorization": f"Bearer {token}"}
            async with http.post(f"{url}/mcp", headers=headers) as answer:
                said.append((answer.status, await answer.text()))

    assert said == [(200, "speaker:session-1"), (200, "job:0a1b2c3d")]


@pytest.mark.parametrize(
    "authorization",
    [None, "Bearer wrong-token-5150", "Bearer ", "Basic wrong-token-5150", JOB_TOKEN, "Bearer é"],
)
async def test_without_a_valid_token_nobody_is_let_in(
    authorization: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    headers = {} if authorization is None else {"authorization": authorization}
    async with guarded(callers()) as url, aiohttp.ClientSession() as http:
        for path in ("/mcp", "/elsewhere"):
            async with http.post(url + path, headers=headers) as answer:
                assert (answer.status, await answer.read()) == (401, b"unauthorized")
                assert "www-authenticate" not in answer.headers

    assert "refused a call" in caplog.text
    assert "wrong-token-5150" not in caplog.text
    assert JOB_TOKEN not in caplog.text


async def test_a_token_is_worth_nothing_once_it_was_revoked() -> None:
    admitted = callers()
    headers = {"authorization": f"Bearer {JOB_TOKEN}"}
    async with guarded(admitted) as url, aiohttp.ClientSession(headers=headers) as http:
        async with http.post(f"{url}/mcp") as answer:
            before = answer.status
        admitted.revoke(JOB)
        async with http.post(f"{url}/mcp") as answer:
            after = answer.status

    assert (before, after) == (200, 401)


async def test_two_tokens_in_one_call_are_none() -> None:
    headers = [("authorization", f"Bearer {JOB_TOKEN}"), ("authorization", "Bearer other")]
    async with (
        guarded(callers()) as url,
        aiohttp.ClientSession() as http,
        http.post(f"{url}/mcp", headers=headers) as answer,
    ):
        assert answer.status == 401


@pytest.mark.parametrize("path", ["/", "/mcp/", "/mcp/x", "/MCP", "//mcp"])
async def test_only_one_path_leads_in(path: str) -> None:
    headers = {"authorization": f"Bearer {JOB_TOKEN}"}
    async with (
        guarded(callers()) as url,
        aiohttp.ClientSession() as http,
        http.post(url + path, headers=headers) as answer,
    ):
        assert answer.status == 404


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"POST http://evil.example/mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n", 404),
        (b"POST /mcp HTTP/1.1\r\n", 400),
        (b"CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example\r\n", 404),
        (b"rubbish\r\n", 400),
    ],
)
async def test_a_request_of_another_form_is_refused(head: bytes, status: int) -> None:
    async with guarded(callers()) as url:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(head + b"authorization: Bearer " + JOB_TOKEN.encode() + b"\r\n\r\n")
        answer = await reader.readline()
        writer.close()

    assert int(answer.split()[1]) == status


async def test_a_connection_leaves_the_doorstep_with_its_first_token() -> None:
    doorstep = Doorstep(DoorstepOptions(seconds=60))
    headers = {"authorization": f"Bearer {JOB_TOKEN}"}
    async with guarded(callers(), doorstep) as url, aiohttp.ClientSession() as http:
        async with http.post(f"{url}/mcp") as answer:
            await answer.read()
        stranger = len(doorstep)
        async with http.post(f"{url}/mcp", headers=headers) as answer:
            await answer.read()
        caller = len(doorstep)

    assert (stranger, caller) == (1, 0)


async def test_a_connection_that_is_closed_leaves_the_doorstep() -> None:
    doorstep = Doorstep(DoorstepOptions(seconds=60))
    async with guarded(callers(), doorstep) as url:
        _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        await until(lambda: len(doorstep) == 1)
        writer.close()
        await until(lambda: len(doorstep) == 0)
