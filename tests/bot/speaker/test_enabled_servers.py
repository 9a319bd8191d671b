"""MCP servers that a session has enabled, with the real `claude`."""

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.config_mcp import McpServerConfig
from bot.speaker.speaker import Answered, Knobs, PermissionMode, ToolUsed, Warned
from extensions.server.http import loopback_socket
from extensions.server.mcp import serving_mcp
from extensions.tools import ToolRegistry
from simulator.messages_api import Answer, ModelRequest, Say, Script, Use, echo
from tests.fakes.server_clients import SPEAKER_TOKEN, callers, say_who, tool
from tests.fakes.speaker_house import said, speaker_house, words

STDIO_SERVER = """
from mcp.server.mcpserver import MCPServer
import os
server = MCPServer("notes")
@server.tool()
def look() -> str:
    return "it says " + os.environ["NOTES_KEY"]
server.run("stdio")
"""
TICKETS = Knobs(mcp_servers=frozenset({"tickets"}))


@asynccontextmanager
async def tickets_server() -> AsyncGenerator[McpServerConfig, None]:
    """Serve the tools `search` and `close` to whoever has the token."""
    registry = ToolRegistry()
    registry.offer(tool("search", say_who))
    registry.offer(tool("close", say_who))
    async with serving_mcp(registry, callers(), loopback_socket()) as mcp:
        yield McpServerConfig(
            url=mcp.url, headers={"Authorization": "Bearer ${TOKEN}"}, tools=("search",)
        )


def using(name: str) -> Script:
    def script(request: ModelRequest) -> Answer:
        if request.step == 0:
            return Use(name, {})
        return Say(request.last_tool_result or "Nothing.")

    return script


async def test_its_tools_are_there_only_where_it_is_enabled_and_so_is_its_secret(
    tmp_path: Path,
) -> None:
    async with (
        tickets_server() as tickets,
        speaker_house(
            tmp_path,
            using("mcp__tickets__search"),
            mcp={"tickets": tickets},
            environment={"TOKEN": SPEAKER_TOKEN, "OTHER": "x"},
        ) as house,
    ):
        speaker = house.speaker(knobs=TICKETS)
        events = await said(speaker, "olga: search")
        with_it, environment = house.api.model_requests[-1], house.environment()
        command = house.command_line()
        speaker.change(Knobs())
        await said(speaker, "olga: search")
        without, bare = house.api.model_requests[-1], house.environment()

    assert words(events).startswith("speaker:session-1")
    assert ToolUsed("tickets: search") in events
    assert "mcp__tickets__search" in with_it.tools
    assert not [name for name in without.tools if "tickets" in name]
    assert environment["MCP_GIVEN_TOKEN"] == SPEAKER_TOKEN
    assert SPEAKER_TOKEN not in " ".join(command)
    assert SPEAKER_TOKEN not in bare.values()
    assert "MCP_GIVEN_OTHER" not in environment


async def test_only_the_tools_that_are_named_may_be_used(tmp_path: Path) -> None:
    async with (
        tickets_server() as tickets,
        speaker_house(
            tmp_path,
            using("mcp__tickets__close"),
            mcp={"tickets": tickets},
            environment={"TOKEN": SPEAKER_TOKEN},
        ) as house,
    ):
        await said(house.speaker(knobs=TICKETS), "olga: close it")
        (result,) = house.api.model_requests[-1].tool_results

    assert result.is_error


async def test_a_server_that_is_a_program_is_run_with_its_variables(tmp_path: Path) -> None:
    program = tmp_path / "notes.py"
    program.write_text(STDIO_SERVER, encoding="utf-8")
    notes = McpServerConfig(
        command=sys.executable, args=(str(program),), env={"NOTES_KEY": "<${KEY}>"}
    )
    async with speaker_house(
        tmp_path, using("mcp__notes__look"), mcp={"notes": notes}, environment={"KEY": "hush"}
    ) as house:
        knobs = Knobs(mcp_servers=frozenset({"notes"}))
        events = await said(house.speaker(knobs=knobs), "olga: look")

    assert "it says <hush>" in words(events)


async def test_a_server_that_cannot_be_reached_is_named_once_and_it_goes_on(
    tmp_path: Path,
) -> None:
    gone = McpServerConfig(url="http://127.0.0.1:9/mcp")
    async with speaker_house(tmp_path, echo, mcp={"tickets": gone}) as house:
        speaker = house.speaker(knobs=TICKETS)
        first = await said(speaker, "olga: one")
        second = await said(speaker, "olga: two")

    warning = Warned("Claude goes on without the MCP server tickets: not to be reached.")
    assert (warning in first, warning in second) == (True, False)
    assert first[-1] == Answered()


async def test_a_server_that_lacks_a_variable_or_is_gone_is_told_of_and_left_out(
    tmp_path: Path,
) -> None:
    tickets = McpServerConfig(url="https://tickets.example", headers={"A": "${TOKEN}"})
    async with speaker_house(tmp_path, echo, mcp={"tickets": tickets}) as house:
        knobs = Knobs(mcp_servers=frozenset({"tickets", "old"}))
        events = await said(house.speaker(knobs=knobs), "olga: hi")
        command = house.command_line()

    assert [event.sentence for event in events if isinstance(event, Warned)] == [
        "I go on without the MCP server `old`: it is not configured any more.",
        "I go on without the MCP server `tickets`: TOKEN is not set in Papercup's environment.",
    ]
    (config,) = [word for word in command if word.startswith("--mcp-config=")]
    assert list(json.loads(config.removeprefix("--mcp-config="))["mcpServers"]) == ["papercup"]


async def test_in_a_jail_a_server_that_needs_the_network_is_left_out_and_told_of(
    tmp_path: Path,
) -> None:
    async with (
        tickets_server() as tickets,
        speaker_house(
            tmp_path,
            echo,
            is_jail_wanted=True,
            mcp={"tickets": tickets},
            environment={"TOKEN": SPEAKER_TOKEN},
        ) as house,
    ):
        knobs = Knobs(mcp_servers=frozenset({"tickets"}), permission_mode=PermissionMode.BYPASS)
        events = await said(house.speaker(knobs=knobs), "olga: hi")

    assert (
        Warned(
            "I go on without the MCP server `tickets`: "
            "this permission mode works in a jail, which has no network."
        )
        in events
    )
    assert words(events) == "You said: olga: hi"
