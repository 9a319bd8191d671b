import asyncio
import logging

import pytest
from mcp.client.client import ConnectMode

from extensions.server.http import loopback_socket
from extensions.server.mcp import serving_mcp
from extensions.tools import ToolAnswer, ToolCall, ToolRegistry
from tests.fakes.server_clients import (
    SPEAKER_TOKEN,
    callers,
    mcp_client,
    text_of,
    tool,
)
from tests.fakes.server_mcp import both_eras, registry_with_who, served


async def test_an_error_in_the_block_comes_out_of_it_as_it_is() -> None:
    with pytest.raises(ValueError, match="mine"):
        async with served():
            raise ValueError("mine")


async def test_a_block_that_is_cancelled_ends() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), served():
            await asyncio.Event().wait()


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
