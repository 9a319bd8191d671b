import asyncio
import io
import logging

import aiohttp
import pytest
from mcp.client.client import ConnectMode

from extensions.server.http import Doorstep, DoorstepOptions, loopback_socket
from extensions.server.mcp import serving_mcp
from extensions.tools import ToolRegistry
from tests.fakes.server_clients import (
    JOB,
    JOB_TOKEN,
    SPEAKER_TOKEN,
    callers,
    mcp_client,
    say_who,
    text_of,
    tool,
)
from tests.fakes.server_mcp import both_eras, registry_with_who, served

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@both_eras
async def test_no_token_and_nothing_that_is_said_is_in_the_log(
    mode: ConnectMode, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    registry = ToolRegistry()
    registry.offer(tool("spawn", say_who, properties={"task": {"type": "string"}}))
    async with (
        served(registry) as server,
        mcp_client(server.url, SPEAKER_TOKEN, mode=mode) as client,
    ):
        await client.call_tool("spawn", {"task": "spoken words"})
        await client.call_tool("spawn", {"task": ["spoken words"]})
    logged = [
        record.getMessage()
        for record in caplog.records
        if record.name.startswith(("extensions", "mcp.server", "uvicorn", "asyncio"))
    ]

    assert logged
    assert [line for line in logged if SPEAKER_TOKEN in line or "spoken words" in line] == []


async def test_a_session_can_be_used_with_its_own_token_only() -> None:
    async with served() as server, aiohttp.ClientSession(headers=HEADERS) as http:
        async with http.post(server.url, json=INITIALIZE, headers=bearer(SPEAKER_TOKEN)) as answer:
            session = answer.headers["mcp-session-id"]
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        headers = {"mcp-session-id": session, "mcp-protocol-version": "2025-11-25"}
        statuses = []
        for token in (JOB_TOKEN, SPEAKER_TOKEN):
            async with http.post(
                server.url, json=ping, headers={**headers, **bearer(token)}
            ) as answer:
                statuses.append(answer.status)

    assert statuses == [404, 200]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "127.0.0.1:4001"}, 200),
        ({"host": "localhost:4001"}, 200),
        ({"host": "127.0.0.1"}, 200),
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.nip.io"}, 421),
        ({"host": "127.0.0.1.nip.io:80"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:4001"}, 200),
        ({"content-type": "text/plain"}, 400),
    ],
)
async def test_only_pages_and_programs_of_this_machine_are_answered(
    headers: dict[str, str], status: int
) -> None:
    async with (
        served() as server,
        aiohttp.ClientSession(headers={**HEADERS, **bearer(SPEAKER_TOKEN)}) as http,
        http.post(server.url, json=INITIALIZE, headers=headers) as answer,
    ):
        assert answer.status == status


async def test_a_body_of_more_than_4_mb_is_refused() -> None:
    async with (
        served() as server,
        aiohttp.ClientSession(headers={**HEADERS, **bearer(SPEAKER_TOKEN)}) as http,
    ):
        for size, status in ((4 * 1024 * 1024 + 1, 413), (4 * 1024 * 1024, 400)):
            async with http.post(server.url, data=io.BytesIO(b"x" * size)) as answer:
                assert answer.status == status


async def test_hundreds_of_idle_connections_do_not_keep_a_caller_out() -> None:
    doorstep = Doorstep(DoorstepOptions(limit=200))
    sock = loopback_socket()
    port = sock.getsockname()[1]
    async with (
        asyncio.timeout(20),
        serving_mcp(registry_with_who(), callers(), sock, doorstep=doorstep) as server,
        mcp_client(server.url, JOB_TOKEN) as early,
    ):
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(500)]
        for _, writer in idle:
            writer.write(b"POST /mcp HTTP/1.1\r\n")
        async with mcp_client(server.url, SPEAKER_TOKEN) as late:
            answers = [text_of(await each.call_tool("who")) for each in (early, late)]
        waiting = len(doorstep)
        for _, writer in idle:
            writer.transport.abort()

    assert answers == [f"{JOB} None", "speaker:session-1 None"]
    assert 0 < waiting <= 200
