"""Calls for whose answer nobody waits any more."""

import asyncio
import threading
from queue import SimpleQueue
from typing import Any

import pytest

from papercup_plugin import AsyncContext, CallCancelled, Context, Plugin, ToolResult
from papercup_plugin.testing import NO_ANSWER, AnswerError, create_test_host


@pytest.fixture
def plugin() -> Plugin:
    return Plugin("slow", version="1")


def test_a_plain_function_that_asks_people_ends_and_the_question_is_withdrawn(
    plugin: Plugin,
) -> None:
    asked, ended = threading.Event(), threading.Event()

    @plugin.tool
    def ask(ctx: Context) -> None:
        try:
            ctx.ui.confirm("?")
        except CallCancelled:
            ended.set()
            raise

    def answer(_request: Any) -> Any:
        asked.set()
        return NO_ANSWER

    with create_test_host(plugin, ui=answer) as host:
        pending = host.start_tool("ask")
        assert asked.wait(10)
        pending.cancel()
        with pytest.raises(AnswerError) as caught:
            pending.result()
        assert ended.wait(10)
        assert host.call_tool("ask", {"no": 1}).is_error

    assert caught.value.is_cancelled
    assert host.cancelled == [1]


def test_an_async_function_is_cancelled_as_all_tasks_are(plugin: Plugin) -> None:
    asked, ended = threading.Event(), threading.Event()

    @plugin.tool
    async def ask(ctx: AsyncContext) -> None:
        try:
            await ctx.ui.confirm("?")
        except asyncio.CancelledError:
            ended.set()
            raise

    def answer(_request: Any) -> Any:
        asked.set()
        return NO_ANSWER

    with create_test_host(plugin, ui=answer) as host:
        pending = host.start_tool("ask")
        assert asked.wait(10)
        pending.cancel()
        with pytest.raises(AnswerError) as caught:
            pending.result()
        assert ended.wait(10)
        # What was asked is withdrawn in the loop's own thread, before anything else runs there.
        host.call_tool("ask", {"no": 1})

    assert caught.value.is_cancelled


def test_who_does_not_heed_it_does_not_keep_the_host_waiting(plugin: Plugin) -> None:
    began, may_end = threading.Event(), threading.Event()
    ended: SimpleQueue[bool] = SimpleQueue()

    @plugin.tool
    def work(ctx: Context) -> str:
        began.set()
        may_end.wait(10)
        ended.put(ctx.cancelled)
        return "late"

    with create_test_host(plugin) as host:
        pending = host.start_tool("work")
        assert began.wait(10)
        pending.cancel()
        with pytest.raises(AnswerError):
            pending.result()
        may_end.set()
        host.ping()
        assert host.call_tool("work") == ToolResult("late")

    assert sorted([ended.get(timeout=10), ended.get(timeout=10)]) == [False, True]


def test_a_function_may_sleep_until_it_is_cancelled(plugin: Plugin) -> None:
    began, ended = threading.Event(), threading.Event()
    slept: list[bool] = []

    @plugin.tool
    def sleep(ctx: Context) -> None:
        began.set()
        slept.append(ctx.signal.wait(10))
        try:
            ctx.raise_if_cancelled()
            slept.append(False)
        finally:
            ended.set()

    with create_test_host(plugin) as host:
        pending = host.start_tool("sleep")
        assert began.wait(10)
        pending.cancel()
        with pytest.raises(AnswerError):
            pending.result()
        assert ended.wait(10)

    assert slept == [True]


def test_what_is_over_can_be_cancelled_in_vain(plugin: Plugin) -> None:
    @plugin.tool
    def quick() -> str:
        return "done"

    with create_test_host(plugin) as host:
        pending = host.start_tool("quick")
        assert pending.result()["content"] == "done"
        pending.cancel()
        host.ping()


def test_when_the_host_is_gone_nobody_waits_for_it(plugin: Plugin) -> None:
    asked, ended = threading.Event(), threading.Event()

    @plugin.tool
    def ask(ctx: Context) -> None:
        try:
            ctx.ui.confirm("?")
        finally:
            ended.set()

    def answer(_request: Any) -> Any:
        asked.set()
        return NO_ANSWER

    with create_test_host(plugin, ui=answer) as host:
        host.start_tool("ask")
        assert asked.wait(10)

    assert ended.wait(10)
