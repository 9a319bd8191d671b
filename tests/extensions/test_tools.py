import pytest

from extensions.callers import Caller, CallerKind
from extensions.errors import LocalProtocolError
from extensions.tools import Tool, ToolAnswer, ToolCall, ToolRegistry

SPEAKER = Caller(CallerKind.SPEAKER, "5e551011")
JOB = Caller(CallerKind.JOB, "8d08ba4f")


async def answer(call: ToolCall) -> ToolAnswer:
    return ToolAnswer(f"{call.caller}")


def tool(name: str, *kinds: CallerKind) -> Tool:
    return Tool(
        name=name,
        description="Does something.",
        input_schema={"type": "object"},
        offered_to=frozenset(kinds),
        handler=answer,
    )


SPAWN = tool("spawn_extension", CallerKind.SPEAKER)
REPORT = tool("report_progress", CallerKind.JOB)
BOTH = tool("clock", CallerKind.SPEAKER, CallerKind.JOB)


def test_each_caller_sees_the_tools_for_its_kind_in_their_order() -> None:
    registry = ToolRegistry()
    for one in (SPAWN, BOTH, REPORT):
        registry.offer(one)

    assert registry.visible_to(SPEAKER) == [SPAWN, BOTH]
    assert registry.visible_to(JOB) == [BOTH, REPORT]


def test_a_tool_is_found_only_by_those_who_may_call_it() -> None:
    registry = ToolRegistry()
    registry.offer(SPAWN)

    assert registry.find(SPEAKER, "spawn_extension") == SPAWN
    assert registry.find(JOB, "spawn_extension") is None
    assert registry.find(SPEAKER, "unknown") is None


def test_a_name_is_offered_once() -> None:
    registry = ToolRegistry()
    registry.offer(SPAWN)

    with pytest.raises(LocalProtocolError, match="spawn_extension"):
        registry.offer(tool("spawn_extension", CallerKind.JOB))

    registry.withdraw("spawn_extension")
    registry.offer(SPAWN)


def test_watchers_learn_of_each_change() -> None:
    registry = ToolRegistry()
    seen: list[list[str]] = []
    registry.watch(lambda: seen.append([t.name for t in registry.visible_to(SPEAKER)]))

    registry.offer(SPAWN)
    registry.offer(BOTH)
    registry.withdraw("spawn_extension")
    registry.withdraw("spawn_extension")

    assert seen == [["spawn_extension"], ["spawn_extension", "clock"], ["clock"]]
