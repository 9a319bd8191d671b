"""MCP servers at an address, bridged by a host: all of it real."""

import asyncio

from extensions.plugins.host import PluginHost
from extensions.plugins.lifecycle import Failed, Ready
from extensions.plugins.manifest import Candidate, McpServerSpec
from extensions.server.http import loopback_socket
from extensions.tools import ToolAnswer
from tests.fakes.bridges import BridgeKit, bridge
from tests.fakes.remote_mcp import RemoteTools, serving_remote
from tests.fakes.waiting import until

DOWN = "it cannot be reached: All connection attempts failed"


def remote(url: str, **headers: str) -> Candidate:
    server = McpServerSpec(url=url, transport="streamable_http", headers=headers)
    return bridge("notes", web=server)


def server_of(host: PluginHost) -> dict[str, object]:
    server: dict[str, object] = host.report()[0]["servers"][0]
    return server


def free_port() -> int:
    with loopback_socket() as sock:
        port: int = sock.getsockname()[1]
    return port


async def test_its_tools_are_used_like_those_of_any_plugin() -> None:
    kit, tools = BridgeKit(), RemoteTools()
    async with asyncio.timeout(20), serving_remote(tools) as url:
        candidate = remote(url, authorization="Bearer me")
        async with kit.host(candidate, **kit.bridges()) as host:
            assert kit.names() == sorted(f"ext_notes_{name}" for name in tools.names)
            assert await kit.use("ext_notes_say", text="hello") == ToolAnswer("say: hello")
            await kit.use("ext_notes_grow")
            await until(lambda: "ext_notes_more" in kit.names())
            server = server_of(host)
            assert (server["transport"], server["pid"]) == ("streamable_http", None)
    assert {each["authorization"] for each in tools.headers} == {"Bearer me"}


async def test_one_that_is_off_is_tried_again_until_it_is_on() -> None:
    kit, port = BridgeKit(), free_port()
    candidate = remote(f"http://127.0.0.1:{port}/mcp")
    async with asyncio.timeout(20), kit.host(candidate, **kit.bridges()) as host:
        assert host.find("notes").state == Failed(f"MCP server `web`: {DOWN}")
        async with serving_remote(RemoteTools(), port=port):
            await until(lambda: host.find("notes").state == Ready())
            assert await kit.use("ext_notes_say", text="x") == ToolAnswer("say: x")


async def test_one_that_goes_away_is_connected_to_again() -> None:
    kit, port = BridgeKit(), free_port()
    candidate = remote(f"http://127.0.0.1:{port}/mcp")
    async with asyncio.timeout(20):
        serving = serving_remote(RemoteTools(), port=port)
        await serving.__aenter__()
        async with kit.host(candidate, **kit.bridges()) as host:
            await serving.__aexit__(None, None, None)
            lost = await kit.use("ext_notes_say")
            assert lost == ToolAnswer(
                "plugin `notes` MCP server `web`: the connection was closed", is_error=True
            )
            await until(lambda: server_of(host)["state"] != "ready")
            assert isinstance(server_of(host)["reason"], str)
            async with serving_remote(RemoteTools(names=["other"]), port=port):
                await until(lambda: kit.names() == ["ext_notes_other"])
                assert await kit.use("ext_notes_other") == ToolAnswer("other: None")


async def test_one_that_is_not_trusted_any_more_is_not_tried_again() -> None:
    kit, port = BridgeKit(), free_port()
    candidate = remote(f"http://127.0.0.1:{port}/mcp")
    asked = asyncio.Event()

    async def refuse(_candidate: Candidate) -> str | None:
        asked.set()
        return "its files have changed"

    parts = {**kit.bridges(refusal_of=refuse), "refusal_of": kit.refusal_of}
    async with asyncio.timeout(20), kit.host(candidate, **parts) as host:
        await asked.wait()
        changed = Failed("MCP server `web`: its files have changed")
        await until(lambda: host.find("notes").state == changed)
