"""The real `claude` between the MCP server, the gateway and a scripted model."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from extensions.callers import Callers
from extensions.claude.binary import bundled_claude
from extensions.claude.command import claude_environment
from extensions.claude.events import Event, TextDelta, ToolCalled, TurnBegan, TurnEnded
from extensions.claude.usage import Usage
from extensions.server.gateway import serving_gateway
from extensions.server.http import loopback_socket
from extensions.server.ledger import AnswerLedger
from extensions.server.mcp import McpServer, serving_mcp
from extensions.tools import ToolAnswer, ToolCall, ToolRegistry
from simulator.messages_api import (
    Answer,
    Hang,
    MessagesApi,
    ModelRequest,
    Say,
    Tokens,
    Use,
    running_messages_api,
    scripted,
)
from tests.extensions.claude.real_claude import MESSAGE, Place, ready_claude, turn_of
from tests.fakes.server_clients import SPEAKER, SPEAKER_TOKEN, callers, say_who, tool
from tests.fakes.server_upstream import running_upstream, sse, streaming

KEY = "sk-ant-api03-the-real-key"
UNFINISHED: list[dict[str, Any]] = [
    {
        "type": "message_start",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": [],
            "stop_reason": None,
            "usage": {"input_tokens": 100, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "one two"},
    },
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 4},
    },
]
"""An answer without its last event."""


@dataclass(frozen=True, slots=True)
class House:
    """What a speaker needs, with the model that `api` scripts."""

    place: Place
    mcp: McpServer
    gateway_url: str
    api: MessagesApi
    registry: ToolRegistry
    ledger: AnswerLedger
    callers: Callers

    @property
    def environment(self) -> dict[str, str]:
        return claude_environment(
            home=self.place.home,
            tmp=self.place.tmp,
            path="/usr/bin:/bin",
            token=SPEAKER_TOKEN,
            mcp_url=self.mcp.url,
            api_url=self.gateway_url,
            max_retries=0,
        )

    async def turn(self, text: str = "Hello") -> list[Event]:
        async with ready_claude(self.place, self.place.speaker(), self.environment) as claude:
            await claude.say(text, uuid=MESSAGE)
            return await turn_of(claude.events())


@asynccontextmanager
async def built(root: Path, *, upstream: str | None = None) -> AsyncGenerator[House, None]:
    claude = bundled_claude()
    assert claude is not None
    registry, ledger, admitted = ToolRegistry(), AnswerLedger(), callers()
    registry.offer(tool("who", say_who))
    async with (
        running_messages_api(scripted(), keys=frozenset({KEY})) as api,
        serving_mcp(registry, admitted, loopback_socket(), instructions="Tools.") as mcp,
        serving_gateway(
            admitted, ledger, upstream=upstream or api.url, api_key=KEY, sock=loopback_socket()
        ) as gateway,
    ):
        place = Place(claude, root)
        yield House(place, mcp, gateway.url, api, registry, ledger, admitted)


def end_of(told: list[Event]) -> TurnEnded:
    end = told[-1]
    assert isinstance(end, TurnEnded)
    return end


async def test_a_turn_goes_through_the_gateway_and_its_tool_through_the_mcp_server(
    tmp_path: Path,
) -> None:
    async with built(tmp_path) as house:

        def script(request: ModelRequest) -> Answer:
            if request.last_tool_result is None:
                return Use("mcp__papercup__who", tokens=Tokens(input_tokens=7, output_tokens=5))
            return Say(request.last_tool_result, tokens=Tokens(input_tokens=3, output_tokens=2))

        house.api.script = script
        told = await house.turn()
        (call,) = [event for event in told if isinstance(event, ToolCalled)]

        assert end_of(told).text == f"speaker:session-1 {call.tool_use_id}"
        assert {request.api_key for request in house.api.model_requests} == {KEY}
        assert house.ledger.usage_of(SPEAKER) == Usage(input_tokens=10, output_tokens=7)
        assert KEY not in str(house.environment)


async def test_an_answer_that_broke_off_may_be_a_success_to_claude_and_is_a_cut_in_the_ledger(
    tmp_path: Path,
) -> None:
    async def all_but_its_last_event(request: web.BaseRequest) -> web.StreamResponse:
        return await streaming(request, sse(*UNFINISHED))

    async with (
        running_upstream(all_but_its_last_event) as upstream,
        built(tmp_path, upstream=upstream.url) as house,
    ):
        told = await house.turn()

    assert (end_of(told).is_error, end_of(told).text) == (False, "one two")
    assert house.ledger.last_answer_was_cut(SPEAKER) is True


async def test_a_tool_that_is_offered_in_the_midst_of_a_turn_can_be_used_in_it(
    tmp_path: Path,
) -> None:
    async with built(tmp_path) as house:

        async def offer_more(_call: ToolCall) -> ToolAnswer:
            house.registry.offer(tool("later", say_who))
            return ToolAnswer("offered")

        async def wait(_call: ToolCall) -> ToolAnswer:
            return ToolAnswer("waited")

        house.registry.offer(tool("offer_more", offer_more))
        house.registry.offer(tool("wait", wait))

        def script(request: ModelRequest) -> Answer:
            if request.last_tool_result is None:
                return Use("mcp__papercup__offer_more")
            if "mcp__papercup__later" not in request.tools:
                return Use("mcp__papercup__wait", delay_seconds=0.1)
            if request.last_tool_result.startswith("speaker:"):
                return Say("used it")
            return Use("mcp__papercup__later")

        house.api.script = script
        told = await house.turn()

        assert end_of(told).text == "used it"


async def test_an_answer_that_claude_is_told_to_stop_is_ended_upstream_and_is_no_cut(
    tmp_path: Path,
) -> None:
    async with built(tmp_path) as house:
        house.api.script = lambda _request: Hang(30, after_text="one")
        async with ready_claude(house.place, house.place.speaker(), house.environment) as claude:
            await claude.say("Hello", uuid=MESSAGE)
            async for event in claude.events():
                if isinstance(event, TextDelta):
                    break
            await claude.interrupt()
            told = await turn_of(claude.events())
        await house.api.answer_unread()

    assert end_of(told).terminal_reason == "aborted_streaming"
    assert house.ledger.last_answer_was_cut(SPEAKER) is False


async def test_a_claude_whose_token_was_revoked_reaches_neither_server(
    tmp_path: Path,
) -> None:
    async with built(tmp_path) as house:
        house.callers.revoke(SPEAKER)
        told = await house.turn()
        (began,) = [event for event in told if isinstance(event, TurnBegan)]

        assert began.failed_servers == ("papercup",)
        assert (end_of(told).is_error, end_of(told).api_error_status) == (True, 401)
        assert not house.api.requests


async def test_a_wrong_argument_comes_back_to_the_model_as_a_sentence(
    tmp_path: Path,
) -> None:
    async with built(tmp_path) as house:
        house.registry.offer(
            tool("spawn", say_who, properties={"task": {"type": "string"}}, required=("task",))
        )

        def script(request: ModelRequest) -> Answer:
            if request.last_tool_result is None:
                return Use("mcp__papercup__spawn", {"job": "count"})
            return Say(request.last_tool_result)

        house.api.script = script
        told = await house.turn()

        assert end_of(told).text == (
            "spawn needs `task` (text). spawn does not know `job`; it takes `task` (text)."
        )
