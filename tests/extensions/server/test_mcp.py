import asyncio
import io
import itertools
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

import aiohttp
import pytest
from mcp.client.client import ConnectMode
from mcp_types import RequestParamsMeta, ToolListChangedNotification

from extensions.callers import CallerKind, Callers
from extensions.server.http import Doorstep, DoorstepOptions, loopback_socket
from extensions.server.mcp import McpServer, serving_mcp
from extensions.tools import ToolAnswer, ToolCall, ToolRegistry
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
from tests.fakes.waiting import until

both_eras = pytest.mark.parametrize("mode", ["auto", "legacy"])

MODERN = "2026-07-28"
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
TOOL_USE = cast("RequestParamsMeta", {"claudecode/toolUseId": "toolu_1"})
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


def registry_with_who() -> ToolRegistry:
    registry = ToolRegistry()
    registry.offer(tool("who", say_who))
    return registry


@asynccontextmanager
async def served(
    registry: ToolRegistry | None = None, admitted: Callers | None = None
) -> AsyncGenerator[McpServer, None]:
    async with (
        asyncio.timeout(20),
        serving_mcp(
            registry or registry_with_who(),
            admitted or callers(),
            loopback_socket(),
            instructions="What the bot can do.",
        ) as server,
    ):
        yield server


@both_eras
async def test_a_tool_is_told_who_calls_it_and_for_which_tool_use(mode: ConnectMode) -> None:
    async with served() as server:
        async with mcp_client(server.url, SPEAKER_TOKEN, mode=mode) as client:
            spoken = await client.call_tool("who", meta=TOOL_USE)
        async with mcp_client(server.url, JOB_TOKEN, mode=mode) as client:
            worked = await client.call_tool("who")

    assert text_of(spoken) == "speaker:session-1 toolu_1"
    assert text_of(worked) == "job:0a1b2c3d None"


async def test_each_era_is_spoken_to_in_its_own_protocol() -> None:
    async with served() as server:
        async with mcp_client(server.url, SPEAKER_TOKEN) as client:
            assert client.protocol_version == MODERN
        async with mcp_client(server.url, SPEAKER_TOKEN, mode="legacy") as client:
            assert client.protocol_version == "2025-11-25"


@both_eras
async def test_a_caller_sees_the_tools_that_it_may_call_and_what_they_take(
    mode: ConnectMode,
) -> None:
    registry = registry_with_who()
    registry.offer(
        tool(
            "spawn",
            say_who,
            properties={"task": {"type": "string"}},
            required=("task",),
            offered_to=frozenset({CallerKind.SPEAKER}),
            read_only=True,
        )
    )
    async with served(registry) as server:
        async with mcp_client(server.url, SPEAKER_TOKEN, mode=mode) as client:
            for_speaker = (await client.list_tools()).tools
        async with mcp_client(server.url, JOB_TOKEN, mode=mode) as client:
            for_job = (await client.list_tools()).tools
            refused = await client.call_tool("spawn", {"task": "x"})
            unknown = await client.call_tool("spwan", {"task": "x"})

    assert [each.name for each in for_speaker] == ["who", "spawn"]
    assert [each.name for each in for_job] == ["who"]
    assert for_speaker[1].input_schema["required"] == ["task"]
    assert for_speaker[1].annotations is not None
    assert for_speaker[1].annotations.read_only_hint is True
    assert (refused.is_error, text_of(refused)) == (True, "There is no tool named 'spawn'.")
    assert (unknown.is_error, text_of(unknown)) == (True, "There is no tool named 'spwan'.")


@both_eras
async def test_the_server_says_its_name_and_instructions(mode: ConnectMode) -> None:
    async with (
        served() as server,
        mcp_client(server.url, SPEAKER_TOKEN, mode=mode) as client,
    ):
        assert client.server_info is not None
        assert client.server_info.name == "papercup"
        assert client.instructions == "What the bot can do."


@both_eras
async def test_an_answer_is_text_alone(mode: ConnectMode) -> None:
    async with (
        served() as server,
        mcp_client(server.url, SPEAKER_TOKEN, mode=mode) as client,
    ):
        result = await client.call_tool("who")

    assert result.structured_content is None
    assert [part.type for part in result.content] == ["text"]
    assert result.is_error is False


@both_eras
async def test_wrong_arguments_are_answered_with_what_is_allowed(mode: ConnectMode) -> None:
    async def never(_call: ToolCall) -> ToolAnswer:
        raise AssertionError("it should not have been called")

    registry = ToolRegistry()
    registry.offer(
        tool("spawn", never, properties={"task": {"type": "string"}}, required=("task",))
    )
    async with (
        served(registry) as server,
        mcp_client(server.url, SPEAKER_TOKEN, mode=mode) as client,
    ):
        result = await client.call_tool("spawn", {})

    assert (result.is_error, text_of(result)) == (True, "spawn needs `task` (text).")


@both_eras
async def test_a_tool_that_breaks_is_logged_and_answered_without_details(
    mode: ConnectMode, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(_call: ToolCall) -> ToolAnswer:
        raise ValueError("inner workings")

    registry = ToolRegistry()
    registry.offer(tool("broken", broken))
    async with (
        served(registry) as server,
        mcp_client(server.url, SPEAKER_TOKEN, mode=mode) as client,
    ):
        result = await client.call_tool("broken")

    assert result.is_error is True
    assert "inner workings" not in text_of(result)
    assert "tool broken failed for speaker:session-1" in caplog.text


async def test_clients_of_the_newer_protocol_are_told_when_the_tools_change() -> None:
    registry = registry_with_who()
    async with (
        served(registry) as server,
        mcp_client(server.url, SPEAKER_TOKEN) as client,
        client.listen(tools_list_changed=True) as changes,
    ):
        registry.offer(tool("later", say_who))
        async for _change in changes:
            break
        tools = await client.list_tools(cache_mode="refresh")

    assert [each.name for each in tools.tools] == ["who", "later"]


async def test_clients_of_the_older_protocol_are_told_when_the_tools_change() -> None:
    registry = registry_with_who()
    told = asyncio.Event()

    async def hear(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            told.set()

    async with (
        served(registry) as server,
        mcp_client(server.url, SPEAKER_TOKEN, mode="legacy", message_handler=hear) as client,
    ):
        assert client.server_capabilities is not None
        assert client.server_capabilities.tools is not None
        assert client.server_capabilities.tools.list_changed is True
        await client.list_tools()
        # The client opens its stream for what the server sends on its own after it has
        # connected, and says to nobody when; so the tools change until it has heard.
        numbers = itertools.count()

        def offers_and_is_told() -> bool:
            registry.offer(tool(f"later_{next(numbers)}", say_who))
            return told.is_set()

        await until(offers_and_is_told)


async def test_an_error_in_the_block_comes_out_of_it_as_it_is() -> None:
    with pytest.raises(ValueError, match="mine"):
        async with served():
            raise ValueError("mine")


async def test_a_block_that_is_cancelled_ends() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), served():
            await asyncio.Event().wait()


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


@both_eras
async def test_a_call_that_its_caller_gives_up_is_cancelled(mode: ConnectMode) -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def slow(_call: ToolCall) -> ToolAnswer:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError

    registry = ToolRegistry()
    registry.offer(tool("slow", slow))
    async with (
        served(registry) as server,
        mcp_client(server.url, SPEAKER_TOKEN, mode=mode) as client,
        asyncio.TaskGroup() as tasks,
    ):
        call = tasks.create_task(client.call_tool("slow"))
        await started.wait()
        call.cancel()
        await ended.wait()


@both_eras
async def test_a_call_that_is_running_when_the_server_stops_is_told_so(
    mode: ConnectMode, caplog: pytest.LogCaptureFixture
) -> None:
    started = asyncio.Event()

    async def slow(_call: ToolCall) -> ToolAnswer:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError

    registry = ToolRegistry()
    registry.offer(tool("slow", slow))
    leave = asyncio.Event()

    async def stand() -> None:
        async with serving_mcp(registry, callers(), sock):
            await leave.wait()

    sock = loopback_socket()
    url = f"http://127.0.0.1:{sock.getsockname()[1]}/mcp"
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        server = tasks.create_task(stand())
        async with mcp_client(url, SPEAKER_TOKEN, mode=mode) as client:
            call = tasks.create_task(client.call_tool("slow"))
            await started.wait()
            leave.set()
            result = await call
            await server

    assert (result.is_error, "being stopped" in text_of(result)) == (True, True)
    assert [r for r in caplog.records if r.levelno >= logging.ERROR or r.exc_info] == []


@both_eras
async def test_the_server_stops_though_clients_are_attached(
    mode: ConnectMode, caplog: pytest.LogCaptureFixture
) -> None:
    leave = asyncio.Event()

    async def stand() -> None:
        async with serving_mcp(registry_with_who(), callers(), sock):
            await leave.wait()

    sock = loopback_socket()
    url = f"http://127.0.0.1:{sock.getsockname()[1]}/mcp"
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        server = tasks.create_task(stand())
        async with mcp_client(url, SPEAKER_TOKEN, mode=mode) as client:
            await client.call_tool("who")
            if mode == "auto":
                async with client.listen(tools_list_changed=True):
                    leave.set()
                    await server
            else:
                leave.set()
                await server

    assert [r for r in caplog.records if r.levelno >= logging.ERROR or r.exc_info] == []


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
