import asyncio
from typing import Any

import pytest

from extensions.server.tool_calls import ToolCalls
from extensions.tools import ToolAnswer, ToolCall, ToolHandler, ToolRegistry
from tests.fakes.server_clients import JOB, say_who, tool

CALL = ToolCall(caller=JOB, arguments={})


def calls(handler: ToolHandler, **options: Any) -> ToolCalls:
    registry = ToolRegistry()
    registry.offer(tool("work", handler))
    return ToolCalls(registry, **options)


async def never_ends(_call: ToolCall) -> ToolAnswer:
    await asyncio.Event().wait()
    raise AssertionError


async def test_a_call_that_takes_too_long_is_ended_and_told_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answer = await calls(never_ends, call_seconds=0.01).answer("work", CALL)

    assert answer == ToolAnswer("work gave no answer in time.", is_error=True)
    assert "tool work took too long for job:0a1b2c3d" in caplog.text


async def test_a_time_out_of_the_tools_own_is_an_error_like_any_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def times_out(_call: ToolCall) -> ToolAnswer:
        raise TimeoutError

    answer = await calls(times_out).answer("work", CALL)

    assert answer.is_error is True
    assert "in time" not in answer.text
    assert "tool work failed for job:0a1b2c3d" in caplog.text


async def test_a_tool_that_cannot_be_checked_is_answered_all_the_same(
    caplog: pytest.LogCaptureFixture,
) -> None:
    registry = ToolRegistry()
    registry.offer(tool("work", say_who, properties={"size": {"type": "no such type"}}))
    call = ToolCall(caller=JOB, arguments={"size": 1})

    answer = await ToolCalls(registry).answer("work", call)

    assert answer.is_error is True
    assert "tool work failed" in caplog.text


async def test_calls_end_when_they_are_stopped_and_no_more_are_taken() -> None:
    started = asyncio.Event()

    async def starts(_call: ToolCall) -> ToolAnswer:
        started.set()
        return await never_ends(_call)

    desk = calls(starts)
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        running = tasks.create_task(desk.answer("work", CALL))
        await started.wait()
        desk.stop()
        answers = [await running, await desk.answer("work", CALL)]

    assert [answer.is_error for answer in answers] == [True, True]
    assert all("is being stopped" in answer.text for answer in answers)
