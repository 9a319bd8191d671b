"""Functions that do what they should not: the host is answered, and the plugin goes on."""

import asyncio
import contextlib
import functools
import io
import json
import math
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from papercup_plugin import AsyncContext, CallCancelled, Context, Plugin, RefusedError, ToolResult
from papercup_plugin.context_base import Log
from papercup_plugin.link import Link
from papercup_plugin.testing import NO_ANSWER, AnswerError, create_test_host


@pytest.fixture
def plugin() -> Plugin:
    return Plugin("odd", version="1")


class UnsayableError(Exception):
    def __str__(self) -> str:
        raise UnsayableError


def leave() -> None:
    sys.exit(3)


def interrupt() -> None:
    raise KeyboardInterrupt


def unsayable() -> None:
    raise UnsayableError


def at_length() -> None:
    raise ValueError("x" * 20_000_000)


ODD: list[tuple[Callable[[], None], str]] = [
    (leave, "SystemExit: 3"),
    (interrupt, "KeyboardInterrupt"),
    (unsayable, "UnsayableError"),
    (at_length, "ValueError: " + "x" * 9_988),
]
each_way = pytest.mark.parametrize(("function", "said"), ODD)


@each_way
@pytest.mark.parametrize("is_async", [False, True])
def test_whatever_a_tool_raises_the_model_is_told_and_the_next_call_is_answered(
    plugin: Plugin, function: Callable[[], None], said: str, *, is_async: bool
) -> None:
    async def odd() -> None:
        function()

    @plugin.tool
    async def whole() -> str:
        return "whole"

    plugin.tool(name="odd")(odd if is_async else function)
    with create_test_host(plugin) as host:
        assert host.call_tool("odd") == ToolResult(said, is_error=True)
        assert host.call_tool("whole").content == "whole"


@each_way
def test_whatever_a_command_raises_the_host_is_answered(
    plugin: Plugin, function: Callable[[], None], said: str
) -> None:
    plugin.command("odd")(function)
    with create_test_host(plugin) as host, pytest.raises(AnswerError) as caught:
        host.run_command("odd")

    assert caught.value.message == said


def test_a_refusal_of_any_length_is_an_answer(plugin: Plugin) -> None:
    @plugin.command
    def refuse() -> None:
        raise RefusedError("x" * 20_000_000)

    with create_test_host(plugin) as host, pytest.raises(AnswerError) as caught:
        host.run_command("refuse")

    assert caught.value.message == "x" * 10_000


def test_what_wants_to_exit_in_the_loop_does_not_end_the_loop(plugin: Plugin) -> None:
    @plugin.tool
    async def begin() -> str:
        asyncio.get_running_loop().call_soon(leave)
        await asyncio.sleep(0)
        return "begun"

    with create_test_host(plugin) as host:
        assert [host.call_tool("begin").content for _ in range(2)] == ["begun", "begun"]


def test_a_tool_that_closed_the_standard_error_is_answered(plugin: Plugin) -> None:
    closed = io.StringIO()
    closed.close()
    plugin.tool(name="odd")(interrupt)

    with contextlib.redirect_stderr(closed), create_test_host(plugin) as host:
        assert host.call_tool("odd").content == "KeyboardInterrupt"


def test_a_result_whose_content_is_no_text_becomes_one(plugin: Plugin) -> None:
    contents: list[Any] = [5, None, {"a": 1}]

    @plugin.tool
    def give(number: int) -> ToolResult:
        return ToolResult(contents[number])

    with create_test_host(plugin) as host:
        given = [host.call_tool("give", number=each).content for each in range(3)]

    assert given == ["5", "", '{"a": 1}']


def test_what_only_looks_like_a_value_is_no_json(plugin: Plugin) -> None:
    class Holder:
        value = 5

    @plugin.tool
    def give() -> Any:
        return Holder()

    with create_test_host(plugin) as host:
        assert host.call_tool("give").content == "TypeError: Holder cannot be put into JSON"


def test_a_widget_that_draws_nothing_and_a_provider_that_yields_anything_are_named(
    plugin: Plugin,
) -> None:
    nothing: Any = lambda: None  # noqa: E731 - of a type that it should not have
    widget = plugin.widget("list")(nothing)

    @plugin.command
    def show(ctx: Context) -> None:
        widget.show(ctx)

    def answer(_request: Any) -> Iterator[Any]:
        yield 7

    plugin.provider("acme").complete(answer)
    reasons: list[str] = []
    with create_test_host(plugin) as host:
        for ask in (lambda: host.run_command("show"), lambda: host.complete("acme", "grey")):
            with pytest.raises(AnswerError) as caught:
                ask()
            reasons.append(caught.value.message)

    assert reasons == [
        "TypeError: the widget 'list' is drawn as a block, not as None",
        "TypeError: a provider yields texts, deltas and a Completion, not 7",
    ]


@pytest.mark.parametrize(
    "ask",
    [
        lambda ctx: ctx.ui.select("?", "abc"),
        lambda ctx: ctx.exec("ls", "-l"),
        lambda ctx: ctx.set_active_tools("abc"),
    ],
)
def test_one_text_is_not_taken_for_a_list_of_letters(
    plugin: Plugin, ask: Callable[[Context], Any]
) -> None:
    @plugin.tool
    def use(ctx: Context) -> Any:
        return ask(ctx)

    with create_test_host(plugin) as host:
        assert "TypeError: a list of texts is wanted, not '" in host.call_tool("use").content


def test_anything_may_be_written_to_the_log() -> None:
    sent: list[bytes] = []

    Log(Link(sent.append)).error("failed", error=ValueError("x"), names={"a"}, share=math.nan)

    fields = {"error": "ValueError('x')", "names": ["a"], "share": "nan"}
    params = {"level": "error", "message": "failed", "fields": fields}
    assert json.loads(sent[0])["params"] == params


def test_what_a_decorator_waited_for_is_not_awaited_again(plugin: Plugin) -> None:
    def now(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*args: Any, **more: Any) -> Any:
            return asyncio.run(function(*args, **more))

        return run

    @plugin.tool
    @now
    async def ask(ctx: AsyncContext) -> str:
        return str(await ctx.kv.get("a"))

    with create_test_host(plugin, kv={"a": 7}) as host:
        assert host.call_tool("ask").content == "7"


def test_a_question_that_may_take_no_time_takes_none(plugin: Plugin) -> None:
    @plugin.tool
    async def ask(ctx: AsyncContext) -> bool:
        return await ctx.ui.confirm("?", timeout_seconds=0)

    @plugin.tool
    def ask_plainly(ctx: Context) -> bool:
        return ctx.ui.confirm("?", timeout_seconds=0)

    with create_test_host(plugin, ui=lambda _: NO_ANSWER) as host:
        assert [host.call_tool(name).content for name in ("ask", "ask_plainly")] == ["false"] * 2


@pytest.mark.parametrize("way", ["cancel", "shutdown"])
@pytest.mark.parametrize("is_async", [False, True])
def test_a_function_that_is_cancelled_can_tidy_up(
    plugin: Plugin, way: str, *, is_async: bool
) -> None:
    asked, ended = threading.Event(), threading.Event()

    def work(ctx: Context) -> None:
        try:
            ctx.ui.confirm("?")
        except CallCancelled:
            ctx.kv.set("tidy", value=True)
            raise
        finally:
            ended.set()

    async def work_async(ctx: AsyncContext) -> None:
        try:
            await ctx.ui.confirm("?")
        finally:
            await ctx.kv.set("tidy", value=True)
            ended.set()

    def answer(_request: Any) -> Any:
        asked.set()
        return NO_ANSWER

    plugin.tool(name="work")(work_async if is_async else work)
    with create_test_host(plugin, ui=answer) as host:
        pending = host.start_tool("work")
        assert asked.wait(10)
        if way == "cancel":
            pending.cancel()
        else:
            host.shutdown()
        assert ended.wait(10)
        with pytest.raises(AnswerError) as caught:
            pending.result()

    assert caught.value.is_cancelled
    assert host.kv == {"tidy": True}
