"""Tools, used in process."""

import asyncio
import threading
from typing import Any

import pytest

from papercup_plugin import AsyncContext, Context, Plugin, RefusedError, ToolResult
from papercup_plugin.errors import INVALID_PARAMS
from papercup_plugin.testing import AnswerError, create_test_host


@pytest.fixture
def plugin() -> Plugin:
    return Plugin("dice", version="1.0.0")


def test_a_function_is_a_tool(plugin: Plugin) -> None:
    @plugin.tool
    def roll(sides: int = 6, count: int = 1) -> str:
        """Roll dice.

        Args:
            sides: How many each has.
        """
        return f"{count}d{sides}"

    with create_test_host(plugin) as host:
        result = host.call_tool("roll", sides=20)

    assert result == ToolResult("1d20")
    assert roll(2, 3) == "3d2"
    assert host.registrations == {
        "tools": [
            {
                "name": "roll",
                "description": "Roll dice.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "sides": {
                            "type": "integer",
                            "description": "How many each has.",
                            "default": 6,
                        },
                        "count": {"type": "integer", "default": 1},
                    },
                    "additionalProperties": False,
                },
            }
        ],
        "hooks": [],
    }


@pytest.mark.parametrize(
    ("returned", "result"),
    [
        ("text", ToolResult("text")),
        (None, ToolResult("")),
        ({"a": [1, "ä"]}, ToolResult('{"a": [1, "ä"]}')),
        (True, ToolResult("true")),
        (ToolResult("x", details={"n": 1}), ToolResult("x", details={"n": 1})),
        (ToolResult("no", is_error=True), ToolResult("no", is_error=True)),
    ],
)
def test_whatever_a_tool_returns_is_text_for_the_model(
    plugin: Plugin, returned: Any, result: ToolResult
) -> None:
    @plugin.tool
    def give() -> Any:
        return returned

    with create_test_host(plugin) as host:
        assert host.call_tool("give") == result


def test_what_a_tool_raises_is_what_the_model_is_told(
    plugin: Plugin, capsys: pytest.CaptureFixture[str]
) -> None:
    @plugin.tool
    def divide(by: int) -> str:
        return str(1 // by)

    with create_test_host(plugin) as host:
        result = host.call_tool("divide", by=0)

    message = "ZeroDivisionError: integer division or modulo by zero"
    assert result == ToolResult(message, is_error=True)
    assert "in divide" in capsys.readouterr().err


def test_who_refuses_leaves_no_traceback(
    plugin: Plugin, capsys: pytest.CaptureFixture[str]
) -> None:
    @plugin.tool
    def refuse() -> str:
        raise RefusedError("there is none", details=[1])

    with create_test_host(plugin) as host:
        result = host.call_tool("refuse")

    assert result == ToolResult("there is none", is_error=True, details=[1])
    assert capsys.readouterr().err == ""


def test_arguments_that_do_not_fit_never_reach_the_function(plugin: Plugin) -> None:
    @plugin.tool
    def roll(sides: int) -> str:
        raise AssertionError(sides)

    with create_test_host(plugin) as host:
        results = [host.call_tool("roll", {"sides": "six"}), host.call_tool("roll", side=6)]

    assert results == [
        ToolResult("`sides` has to be an integer", is_error=True),
        ToolResult("`side` is not known", is_error=True),
    ]


def test_a_tool_that_there_is_not_is_refused(plugin: Plugin) -> None:
    with (
        create_test_host(plugin) as host,
        pytest.raises(AnswerError, match="there is no tool 'x'") as caught,
    ):
        host.call_tool("x")

    assert caught.value.code == INVALID_PARAMS


def test_a_result_that_is_no_json_is_an_error(plugin: Plugin) -> None:
    @plugin.tool
    def odd() -> ToolResult:
        return ToolResult("x", details=object())

    with create_test_host(plugin) as host, pytest.raises(AnswerError, match="be put into JSON"):
        host.call_tool("odd")


def test_several_plain_functions_run_at_once(plugin: Plugin) -> None:
    both = threading.Barrier(2, timeout=10)

    @plugin.tool
    def meet() -> str:
        return str(both.wait() >= 0)

    with create_test_host(plugin) as host:
        pending = [host.start_tool("meet"), host.start_tool("meet")]
        results = [each.result()["content"] for each in pending]

    assert results == ["True", "True"]


def test_several_async_functions_run_at_once_in_one_loop(plugin: Plugin) -> None:
    loops: set[object] = set()
    arrived: list[int] = []

    @plugin.tool
    async def meet(ctx: AsyncContext) -> str:
        loops.add(asyncio.get_running_loop())
        arrived.append(1)
        async with asyncio.timeout(10):
            while len(arrived) < 2:  # noqa: ASYNC110 - it must not matter which comes first
                await asyncio.sleep(0)
        return str(ctx.call_id)

    with create_test_host(plugin) as host:
        pending = [host.start_tool("meet"), host.start_tool("meet")]
        results = [each.result()["content"] for each in pending]

    assert (results, len(loops)) == (["call-2", "call-3"], 1)


def test_what_an_async_function_raises_is_what_the_model_is_told(plugin: Plugin) -> None:
    @plugin.tool
    async def fail() -> str:
        raise RefusedError("not now")

    with create_test_host(plugin) as host:
        assert host.call_tool("fail") == ToolResult("not now", is_error=True)


def test_a_tool_may_have_a_schema_of_its_own(plugin: Plugin) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}

    def execute(arguments: dict[str, Any], ctx: Context) -> str:
        return f"{arguments} {ctx.call_id}"

    plugin.register_tool(
        "raw", description="Raw.", parameters=schema, execute=execute, deferred=True
    )

    with create_test_host(plugin) as host:
        result = host.call_tool("raw", n="anything")

    assert result == ToolResult("{'n': 'anything'} call-2")
    assert host.registrations["tools"] == [
        {"name": "raw", "description": "Raw.", "parameters": schema, "deferred": True}
    ]


def test_a_tool_may_have_another_name_and_description(plugin: Plugin) -> None:
    @plugin.tool(name="throw", description="Throws.")
    def roll() -> str:
        """Not this."""
        return "6"

    with create_test_host(plugin) as host:
        assert host.call_tool("throw") == ToolResult("6")

    assert host.registrations["tools"][0]["description"] == "Throws."


def test_what_is_declared_while_the_plugin_runs_the_host_is_told(plugin: Plugin) -> None:
    @plugin.tool
    def learn() -> None:
        plugin.tool(name="late")(lambda: "late")
        plugin.command("later")(lambda: "later")
        plugin.on("turn_end")(lambda: None)
        plugin.provider("acme", models=["grey"])

    with create_test_host(plugin) as host:
        host.call_tool("learn")
        assert host.call_tool("late") == ToolResult("late")
    plugin.tool(name="never")(lambda: "never")

    parameters = {"type": "object", "properties": {}, "additionalProperties": False}
    assert host.registry_updates == [
        {"tools": [{"name": "late", "description": "", "parameters": parameters}]},
        {"commands": [{"name": "later", "description": ""}]},
        {"subscriptions": ["turn_end"]},
        {"providers": [{"name": "acme", "models": [{"id": "grey"}]}]},
    ]


def test_a_type_that_cannot_be_described_is_named_with_its_tool(plugin: Plugin) -> None:
    @plugin.tool
    def send(data: bytes) -> None: ...

    with pytest.raises(TypeError, match="tool 'send': `data`: bytes has no form in JSON; take"):
        plugin.registrations()


def test_an_async_function_with_the_context_of_a_plain_one_is_refused(plugin: Plugin) -> None:
    async def wrong(ctx: Context) -> None: ...

    def wrong_too(ctx: AsyncContext) -> None: ...

    with pytest.raises(TypeError, match="is an async function, so its context is of the type Asy"):
        plugin.tool(wrong)
    with pytest.raises(TypeError, match="is a plain function, so its context is of the type Con"):
        plugin.tool(wrong_too)
