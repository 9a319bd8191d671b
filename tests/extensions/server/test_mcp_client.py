"""The client for MCP servers at an address, against real servers of MCP's own package."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias

import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from extensions.plugins.server_links import RemoteServer
from extensions.rpc.errors import (
    PeerGoneError,
    PeerStartError,
    PeerTimeoutError,
    RpcError,
)
from extensions.server.http import loopback_socket
from extensions.server.mcp_client import RemoteLink, connected_server
from extensions.server.mcp_faults import is_theirs, reason_of
from tests.fakes.remote_mcp import RemoteTools, serving_events, serving_remote

Serving: TypeAlias = Callable[[RemoteTools], AbstractAsyncContextManager[str]]

CANNOT_BE_REACHED = "it cannot be reached: All connection attempts failed"


def at(url: str, transport: str = "streamable_http", **headers: str) -> RemoteServer:
    return RemoteServer(
        url=url, transport=transport, headers=headers, host_version="1.2", connect_seconds=5
    )


def nothing() -> None:
    """Its tools may change."""


@asynccontextmanager
async def linked(
    serving: Serving, tools: RemoteTools, transport: str, changed: Callable[[], None] = nothing
) -> AsyncGenerator[RemoteLink, None]:
    async with (
        asyncio.timeout(20),
        serving(tools) as url,
        connected_server(at(url, transport, authorization="me"), tools_changed=changed) as link,
    ):
        yield link


async def said(link: RemoteLink, tool: str, **arguments: str) -> tuple[str, bool]:
    result = await link.use(tool, arguments, timeout_seconds=5)
    return result["content"][0]["text"], result["isError"]


every_way = pytest.mark.parametrize(
    ("serving", "is_old", "transport"),
    [
        (serving_remote, False, "streamable_http"),
        (serving_remote, True, "streamable_http"),
        (serving_remote, False, "auto"),
        (serving_events, False, "sse"),
        (serving_events, False, "auto"),
    ],
)


@every_way
async def test_its_tools_are_listed_and_used(
    serving: Serving,
    is_old: bool,  # noqa: FBT001 - a parameter of the test
    transport: str,
) -> None:
    tools, changed = RemoteTools(is_old=is_old), asyncio.Event()
    async with linked(serving, tools, transport, changed.set) as link:
        page = await link.list_tools(None, timeout_seconds=5)
        assert [each["name"] for each in page["tools"]] == tools.names
        assert await said(link, "say", text="hello") == ("say: hello", False)
        assert await said(link, "fail") == ("fail: None", True)
        await link.ping(timeout_seconds=5)
        with pytest.raises(PeerTimeoutError, match=r"tools/call was not answered within 0\.1 s"):
            await link.use("hang", {}, timeout_seconds=0.1)
        await said(link, "grow")
        await changed.wait()
    assert {each["authorization"] for each in tools.headers} == {"me"}
    assert {each["accept-encoding"] for each in tools.headers} == {"identity"}


async def test_an_error_of_the_server_is_told_as_such() -> None:
    async with linked(serving_remote, RemoteTools(), "streamable_http") as link:
        with pytest.raises(RpcError, match="there is one page only"):
            await link.list_tools("2", timeout_seconds=5)


@pytest.mark.parametrize("json_response", [True, False])
async def test_an_answer_that_is_too_long_fails_alone(
    json_response: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    @asynccontextmanager
    async def serving(tools: RemoteTools) -> AsyncGenerator[str, None]:
        async with serving_remote(tools, json_response=json_response) as url:
            yield url

    async with linked(serving, RemoteTools(is_old=True), "streamable_http") as link:
        with pytest.raises(RpcError, match=r"larger than 16777216 bytes|exceeded the 16777216"):
            await link.use("long", {}, timeout_seconds=10)
        assert await said(link, "say", text="still here") == ("say: still here", False)


async def test_what_is_compressed_is_not_read() -> None:
    async with asyncio.timeout(20), serving_remote(RemoteTools(is_compressed=True)) as url:
        with pytest.raises(PeerStartError, match="it is compressed, though that was not asked for"):
            async with connected_server(at(url), tools_changed=nothing):
                pass


async def test_a_server_that_goes_away_is_gone_for_all_who_ask() -> None:
    serving = serving_remote(RemoteTools())
    async with asyncio.timeout(20):
        url = await serving.__aenter__()
        async with connected_server(at(url), tools_changed=nothing) as link:
            await serving.__aexit__(None, None, None)
            with pytest.raises(PeerGoneError, match="the connection was closed"):
                await link.use("say", {}, timeout_seconds=5)
            # It depends on how far the next request has come by then.
            end = await link.ended()
            assert end.reason.startswith(("it cannot be reached: ", "the connection broke: "))
            with pytest.raises(PeerGoneError, match=end.reason):
                await link.use("say", {}, timeout_seconds=5)


async def test_a_server_that_is_not_there_is_named_without_its_address() -> None:
    with loopback_socket() as sock:
        url = f"http://127.0.0.1:{sock.getsockname()[1]}/mcp?key=secret"
    async with asyncio.timeout(20):
        with pytest.raises(PeerStartError) as caught:
            async with connected_server(at(url, "auto"), tools_changed=nothing):
                pass
    assert str(caught.value) == CANNOT_BE_REACHED


@pytest.mark.parametrize(
    ("transport", "reason"),
    [
        ("streamable_http", "it answered: Server returned an error response (HTTP status 401)"),
        ("sse", "it answered with HTTP status 401"),
    ],
)
async def test_a_server_that_does_not_let_us_in_says_so(transport: str, reason: str) -> None:
    async with asyncio.timeout(20), serving_remote(RemoteTools(wanted_token="you")) as url:
        with pytest.raises(PeerStartError) as caught:
            async with connected_server(at(url, transport), tools_changed=nothing):
                pass
    assert str(caught.value) == reason


async def test_a_server_that_says_nothing_is_not_waited_for_for_ever() -> None:
    with loopback_socket() as sock:
        server = RemoteServer(
            url=f"http://127.0.0.1:{sock.getsockname()[1]}/mcp",
            transport="streamable_http",
            headers={},
            host_version="1.2",
            connect_seconds=0.1,
        )
        async with asyncio.timeout(20):
            with pytest.raises(PeerStartError, match="it did not answer in time"):
                async with connected_server(server, tools_changed=nothing):
                    pass


async def test_whoever_stops_waiting_for_a_connection_does_so_at_once() -> None:
    with loopback_socket() as sock:
        url = f"http://127.0.0.1:{sock.getsockname()[1]}/mcp"
        async with asyncio.timeout(4):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1), connected_server(at(url), tools_changed=nothing):
                    pass


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ExceptionGroup("", [ExceptionGroup("", [TimeoutError()])]), "it did not answer in time"),
        (httpx2.ReadError(""), "the connection broke: ReadError"),
        (MCPError(1, "x" * 400), f"it answered: {'x' * 300}"),
        (ValueError("no JSON"), "what it sent cannot be used: no JSON"),
    ],
)
def test_what_went_wrong_is_put_into_words(error: Exception, reason: str) -> None:
    assert reason_of(error) == reason
    assert is_theirs(error)


def test_what_nobody_expects_is_not_taken_for_the_server_s_fault() -> None:
    assert not is_theirs(ExceptionGroup("", [ZeroDivisionError()]))
