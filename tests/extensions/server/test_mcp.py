import asyncio
import itertools
from typing import cast

import pytest
from mcp.client.client import ConnectMode
from mcp_types import RequestParamsMeta, ToolListChangedNotification

from extensions.callers import CallerKind
from extensions.tools import ToolAnswer, ToolCall, ToolRegistry
from tests.fakes.server_clients import (
    JOB_TOKEN,
    SPEAKER_TOKEN,
    mcp_client,
    say_who,
    text_of,
    tool,
)
from tests.fakes.server_mcp import both_eras, registry_with_who, served
from tests.fakes.waiting import until

MODERN = "2026-07-28"
TOOL_USE = cast("RequestParamsMeta", {"claudecode/toolUseId": "toolu_1"})


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
