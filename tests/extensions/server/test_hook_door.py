import asyncio
import io
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from extensions.callers import Caller
from extensions.hooks import Blocked, Changed, HookPoint, Occasion, Pass, Payload, Ruling
from extensions.server.hook_values import ToolUse
from extensions.server.open_tools import OpenTools
from extensions.server.tool_hooks import Hooks
from tests.fakes.hook_chain import FakeChain, blocking, passing, patching
from tests.fakes.server_clients import JOB, JOB_TOKEN, SPEAKER
from tests.fakes.server_mcp import served
from tests.fakes.waiting import until

USE = {"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": "ls"}}
RAN = {"stdout": "a", "stderr": "", "interrupted": False}
TOOL_EVENTS = frozenset({"tool_execution_start", "tool_execution_end"})


class Relay:
    """Asks as the relay does."""

    def __init__(self, http: aiohttp.ClientSession, url: str) -> None:
        self._http = http
        self._url = url

    async def ask(self, event: str, **more: Any) -> Any:
        """Return what Claude is told; `None` if nobody objects."""
        status, body = await self.send(json.dumps({"hook_event_name": event, **more}).encode())
        assert status == 200
        assert body.startswith(b"papercup hook\n")
        told = body.removeprefix(b"papercup hook\n")
        return json.loads(told) if told else None

    async def send(self, body: bytes) -> tuple[int, bytes]:
        async with self._http.post(self._url, data=io.BytesIO(body)) as answer:
            return answer.status, await answer.read()


@asynccontextmanager
async def relay(hooks: Hooks) -> AsyncGenerator[Relay, None]:
    headers = {"authorization": f"Bearer {JOB_TOKEN}"}
    async with (
        served(hooks=hooks) as server,
        aiohttp.ClientSession(headers=headers) as http,
    ):
        yield Relay(http, f"http://127.0.0.1:{server.port}/hook")


async def test_where_nobody_has_a_say_nobody_is_asked_for_whom_it_is() -> None:
    async def unknown(_caller: Caller) -> Occasion:
        raise AssertionError

    async with relay(Hooks(occasion_of=unknown)) as asking:
        told = [
            await asking.ask("PreToolUse", **USE),
            await asking.ask("PostToolUse", **USE, tool_response=RAN),
            await asking.ask("PostToolBatch", tool_calls=[USE]),
            await asking.ask("PreCompact", trigger="auto"),
            await asking.ask("PostCompact"),
        ]

    assert told == [None] * 5


async def test_a_result_that_is_held_back_is_replaced_by_the_reason() -> None:
    chain = FakeChain({HookPoint.TOOL_RESULT: blocking("a secret")})
    async with relay(chain.hooks) as asking:
        told = await asking.ask("PostToolUse", **USE, tool_response=RAN)

    assert told["hookSpecificOutput"]["updatedToolOutput"]["stdout"] == (
        "the result of tool `Bash` blocked by plugin `gate`: a secret"
    )


async def test_arguments_of_claudes_own_tools_stay_as_they_are() -> None:
    chain = FakeChain({HookPoint.TOOL_CALL: patching(arguments={"command": "rm"})})
    async with relay(chain.hooks) as asking:
        assert await asking.ask("PreToolUse", **USE) is None


async def test_a_compaction_goes_on_as_a_plugin_wants_it() -> None:
    chain = FakeChain({HookPoint.SESSION_BEFORE_COMPACT: blocking("not now")})
    async with relay(chain.hooks) as asking:
        refused = await asking.ask("PreCompact", trigger="auto", custom_instructions=None)
        chain.rules = {HookPoint.SESSION_BEFORE_COMPACT: patching(custom_instructions=7)}
        unmoved = await asking.ask("PreCompact", trigger="auto", custom_instructions=None)

    assert refused == {
        "decision": "block",
        "reason": "compaction blocked by plugin `gate`: not now",
    }
    assert unmoved is None


async def test_a_tool_that_claude_itself_refused_has_an_end_too() -> None:
    chain = FakeChain(observed=TOOL_EVENTS)
    async with relay(chain.hooks) as asking:
        await asking.ask("PreToolUse", **USE)
        await asking.ask("PreToolUse", **{**USE, "tool_use_id": "toolu_2"})
        await asking.ask("PostToolUse", **USE, tool_response=RAN, duration_ms=24)
        await asking.ask("PostToolBatch", tool_calls=[USE, {**USE, "tool_use_id": "toolu_2"}])

    assert [
        (event, payload["call_id"], payload.get("is_error")) for event, payload in chain.told
    ] == [
        ("tool_execution_start", "toolu_1", None),
        ("tool_execution_start", "toolu_2", None),
        ("tool_execution_end", "toolu_1", False),
        ("tool_execution_end", "toolu_2", True),
    ]
    assert chain.told[2][1]["duration_ms"] == 24


@pytest.mark.parametrize(
    "body", [b"", b"no JSON", b"[]", b"[" * 100_000, b'{"hook_event_name": "Stop"}', b"\xff"]
)
async def test_what_is_not_understood_is_refused(body: bytes) -> None:
    async with relay(FakeChain({HookPoint.TOOL_CALL: passing}).hooks) as asking:
        assert await asking.send(body) == (400, b"this was not understood")


async def test_what_is_too_large_is_refused() -> None:
    async with relay(Hooks()) as asking:
        status, _ = await asking.send(b" " * (33 * 1024 * 1024))

    assert status == 413


async def test_half_a_character_does_not_reach_the_plugins() -> None:
    chain = FakeChain({HookPoint.TOOL_CALL: passing})
    async with relay(chain.hooks) as asking:
        body = json.dumps({"hook_event_name": "PreToolUse", **USE, "tool_input": {"x": "\ud83d"}})
        await asking.send(body.encode())

    assert chain.values_at(HookPoint.TOOL_CALL)[0]["arguments"] == {"x": "\ufffd"}


async def test_an_error_is_no_permission(caplog: pytest.LogCaptureFixture) -> None:
    def fail(_value: Payload) -> Ruling:
        raise OSError

    async with relay(FakeChain({HookPoint.TOOL_CALL: fail}).hooks) as asking:
        status, _ = await asking.send(json.dumps({"hook_event_name": "PreToolUse", **USE}).encode())

    assert status == 500
    assert "a hook of job:0a1b2c3d failed" in caplog.text


async def test_when_claude_stops_waiting_the_plugins_do_so_too() -> None:
    asked = asyncio.Event()

    async def never(_value: Payload) -> Ruling:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    chain = FakeChain({HookPoint.TOOL_CALL: never})
    async with relay(chain.hooks) as asking, asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(asking.ask("PreToolUse", **USE))
        await asked.wait()
        waiting.cancel()
        await until(lambda: chain.cancelled == [HookPoint.TOOL_CALL])


async def test_only_posts_are_hooks() -> None:
    async with (
        served() as server,
        aiohttp.ClientSession(headers={"authorization": f"Bearer {JOB_TOKEN}"}) as http,
        http.get(f"http://127.0.0.1:{server.port}/hook") as answer,
    ):
        assert answer.status == 404


def test_of_the_tools_that_nobody_ends_the_oldest_are_forgotten() -> None:
    tools = OpenTools(most=2)
    for number in range(3):
        use = ToolUse(tool="Bash", call_id=f"{number}", arguments={}, occasion=Occasion())
        tools.begin(JOB, use, at=float(number))

    assert len(tools) == 2
    assert tools.end(JOB, "0") is None
    assert tools.end(SPEAKER, "1") is None
    ended = tools.end_all(JOB, ["0", "1", "2", "1"])
    assert [(tool.use.call_id, tool.began_at) for tool in ended] == [("1", 1.0), ("2", 2.0)]


def test_rulings_are_what_they_say() -> None:
    assert [passing({}), blocking("no")({}), patching(a=1)({"b": 2})] == [
        Pass(),
        Blocked("no", "gate"),
        Changed({"b": 2, "a": 1}, ("editor",)),
    ]


async def test_what_a_tool_was_given_is_told_again_but_not_kept_meanwhile() -> None:
    chain = FakeChain({HookPoint.TOOL_RESULT: passing})
    async with relay(chain.hooks) as asking:
        await asking.ask("PreToolUse", **USE)
        await asking.ask("PostToolUse", **USE, tool_response=RAN)
    ((_, value),) = chain.fired
    assert value["arguments"] == USE["tool_input"]

    tools, given = OpenTools(), {"command": "x" * 1000}
    use = ToolUse(tool="Bash", call_id="1", arguments=given, occasion=Occasion())
    tools.begin(JOB, use, at=0.0)
    opened = tools.end(JOB, "1")
    assert opened is not None
    assert not opened.use.arguments
