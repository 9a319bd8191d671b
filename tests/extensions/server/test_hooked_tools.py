import asyncio

import pytest

from extensions.hooks import HookPoint, Payload, Ruling
from extensions.server.tool_calls import ToolCalls
from extensions.tools import ToolAnswer, ToolCall, ToolRegistry
from tests.fakes.hook_chain import FakeChain, Rule, blocking, passing, patching
from tests.fakes.server_clients import JOB, SPEAKER, tool

EVENTS = frozenset({"tool_execution_start", "tool_execution_end"})
CALL = ToolCall(caller=JOB, arguments={"size": 1}, tool_use_id="toolu_1")


async def say_size(call: ToolCall) -> ToolAnswer:
    return ToolAnswer(f"size {call.arguments['size']}")


def hooked(rules: dict[HookPoint, Rule], **events: frozenset[str]) -> tuple[FakeChain, ToolCalls]:
    registry = ToolRegistry()
    registry.offer(
        tool("measure", say_size, properties={"size": {"type": "integer"}}, required=("size",))
    )
    chain = FakeChain(rules, **events)
    return chain, ToolCalls(registry, chain.hooks)


async def test_plugins_are_asked_before_a_tool_is_used_and_after() -> None:
    chain, calls = hooked(
        {HookPoint.TOOL_CALL: passing, HookPoint.TOOL_RESULT: passing}, observed=EVENTS
    )

    assert await calls.answer("measure", CALL) == ToolAnswer("size 1")

    whose = {"agent_id": "0a1b2c3d", "session_id": "5e55"}
    use = {"tool": "measure", "call_id": "toolu_1", **whose}
    asked = {**use, "tool_name": "measure", "arguments": {"size": 1}}
    assert chain.fired == [
        (HookPoint.TOOL_CALL, asked),
        (
            HookPoint.TOOL_RESULT,
            {**asked, "content": "size 1", "is_error": False, "duration_ms": 0},
        ),
    ]
    assert chain.told == [
        ("tool_execution_start", {**use, "arguments": {"size": 1}}),
        ("tool_execution_end", {**use, "is_error": False, "duration_ms": 0}),
    ]


async def test_a_tool_that_is_forbidden_is_not_used() -> None:
    chain, calls = hooked({HookPoint.TOOL_CALL: blocking("too small")}, observed=EVENTS)

    assert await calls.answer("measure", CALL) == ToolAnswer(
        "tool `measure` blocked by plugin `gate`: too small", is_error=True
    )
    assert [event for event, _ in chain.told] == ["tool_execution_start", "tool_execution_end"]


async def test_arguments_that_a_plugin_changed_are_checked_again() -> None:
    chain, calls = hooked({HookPoint.TOOL_CALL: patching(arguments={"size": 2})})
    fitting = await calls.answer("measure", CALL)
    chain.rules = {HookPoint.TOOL_CALL: patching(arguments={"size": "big"})}
    unfit = await calls.answer("measure", CALL)
    chain.rules = {HookPoint.TOOL_CALL: patching(arguments="nonsense")}
    unchanged = await calls.answer("measure", CALL)

    assert fitting == ToolAnswer("size 2")
    assert unfit.is_error
    assert "`size`" in unfit.text
    assert unchanged == ToolAnswer("size 1")


async def test_a_call_that_cannot_be_made_is_no_question_for_plugins() -> None:
    chain, calls = hooked({HookPoint.TOOL_CALL: passing})

    answer = await calls.answer("measure", ToolCall(caller=JOB, arguments={}))

    assert answer.is_error
    assert chain.fired == []


async def test_a_result_is_what_a_plugin_makes_of_it() -> None:
    chain, calls = hooked({HookPoint.TOOL_RESULT: patching(content="secret", is_error=True)})
    changed = await calls.answer("measure", CALL)
    chain.rules = {HookPoint.TOOL_RESULT: patching(content=7, is_error="no")}
    unchanged = await calls.answer("measure", CALL)
    chain.rules = {HookPoint.TOOL_RESULT: blocking("  ")}
    held_back = await calls.answer("measure", CALL)

    assert changed == ToolAnswer("secret", is_error=True)
    assert unchanged == ToolAnswer("size 1")
    assert held_back == ToolAnswer(
        "the result of tool `measure` blocked by plugin `gate`: it gave no reason", is_error=True
    )


async def test_a_call_without_an_id_gets_one_of_its_own() -> None:
    chain, calls = hooked({HookPoint.TOOL_CALL: passing})
    for _ in range(2):
        await calls.answer("measure", ToolCall(caller=SPEAKER, arguments={"size": 1}))

    values = chain.values_at(HookPoint.TOOL_CALL)
    assert [value["call_id"] for value in values] == ["papercup-1", "papercup-2"]


async def test_a_tool_that_fails_has_an_end_too(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(_call: ToolCall) -> ToolAnswer:
        raise OSError

    registry, chain = ToolRegistry(), FakeChain(observed=EVENTS)
    registry.offer(tool("work", fail))

    answer = await ToolCalls(registry, chain.hooks).answer(
        "work", ToolCall(caller=JOB, arguments={})
    )

    assert answer.is_error
    assert [payload.get("is_error") for _, payload in chain.told] == [None, True]
    assert "tool work failed" in caplog.text


async def test_a_plugin_that_thinks_for_ever_is_part_of_the_time_that_a_call_may_take() -> None:
    async def never(_value: Payload) -> Ruling:
        await asyncio.Event().wait()
        raise AssertionError

    registry, chain = ToolRegistry(), FakeChain({HookPoint.TOOL_CALL: never}, observed=EVENTS)
    registry.offer(tool("measure", say_size))

    calls = ToolCalls(registry, chain.hooks, call_seconds=0.01)
    answer = await calls.answer("measure", ToolCall(caller=JOB, arguments={}))

    assert answer == ToolAnswer("measure gave no answer in time.", is_error=True)
    assert chain.cancelled == [HookPoint.TOOL_CALL]
    assert [event for event, _ in chain.told] == ["tool_execution_start", "tool_execution_end"]


@pytest.mark.parametrize(
    ("chain", "reaches"),
    [
        (FakeChain(), False),
        (FakeChain({HookPoint.CONTEXT: passing}, observed=frozenset({"agent_start"})), False),
        (FakeChain({HookPoint.TOOL_CALL: passing}), True),
        (FakeChain({HookPoint.TOOL_RESULT: passing}), True),
        (FakeChain({HookPoint.SESSION_BEFORE_COMPACT: passing}), True),
        (FakeChain(observed=frozenset({"tool_execution_end"})), True),
        (FakeChain(observed=frozenset({"session_compact"})), True),
    ],
)
def test_claude_asks_only_where_plugins_have_to_do_with_it(
    chain: FakeChain, *, reaches: bool
) -> None:
    assert chain.hooks.reach_into_claude is reaches
