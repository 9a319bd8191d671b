"""What a plugin cannot declare: it is said at once, with what would do."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, get_args

import pytest

from papercup_plugin import Context, HookName, Plugin
from papercup_plugin.hooks import HOOKS
from papercup_plugin.testing import create_test_host

Declare = Callable[[Any], Any]


@pytest.fixture
def plugin() -> Any:
    """Of no type, so that it may be used as it should not be."""
    return Plugin("wrong", version="1")


def pieces() -> Iterator[str]:
    yield "one"


async def pieces_in_time() -> AsyncIterator[str]:
    yield "one"


def quiet() -> None: ...


@pytest.mark.parametrize(
    ("declare", "reason"),
    [
        (lambda plugin: plugin.tool(lambda: 1), "a lambda has no name; give the tool one"),
        (
            lambda plugin: plugin.tool(name="")(quiet),
            "a tool cannot be called ''; take 1 to 128 ch",
        ),
        (
            lambda plugin: plugin.tool(name="a\n")(quiet),
            "a tool cannot be called 'a\\n'; take 1 to",
        ),
        (lambda plugin: plugin.tool(name="a" * 129)(quiet), "take 1 to 128 characters"),
        (lambda plugin: plugin.tool("roll"), "'roll' is not a function"),
        (lambda plugin: plugin.tool(pieces), "pieces yields, which nobody takes; have it return"),
        (lambda plugin: plugin.on("turn_end")(pieces_in_time), "pieces_in_time yields, which nob"),
        (lambda plugin: plugin.command("a b")(quiet), "a command cannot be called 'a b'; take one"),
        (lambda plugin: plugin.hook("toolcall"), "there is no hook 'toolcall', but tool_call, us"),
        (lambda plugin: plugin.hook(quiet), "there is no hook <function quiet at"),
        (lambda plugin: plugin.on(quiet), "the name of the event is missing; write it first, as"),
        (lambda plugin: plugin.on(), "the name of the event is missing"),
        (lambda plugin: plugin.bus.on(quiet), "the name of the topic is missing"),
        (lambda plugin: plugin.widget(quiet), "the name of the widget is missing"),
        (lambda plugin: plugin.widget("list")(quiet).key(quiet), "the name of the key is missing"),
        (lambda plugin: plugin.provider(""), "a provider cannot be called ''"),
    ],
)
def test_what_cannot_be_declared_says_what_would_do(
    plugin: Any, declare: Declare, reason: str
) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        declare(plugin)

    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("what", "declare"),
    [
        ("tool", lambda plugin: plugin.tool(quiet)),
        ("command", lambda plugin: plugin.command(quiet)),
        ("widget", lambda plugin: plugin.widget("quiet")(quiet)),
        ("provider", lambda plugin: plugin.provider("quiet")),
    ],
)
def test_two_things_of_one_name_are_refused(plugin: Any, what: str, declare: Declare) -> None:
    declare(plugin)
    with pytest.raises(ValueError, match=f"there is a {what} 'quiet' already; give one of them"):
        declare(plugin)


def test_while_it_runs_a_tool_may_be_offered_anew(plugin: Plugin) -> None:
    plugin.tool(name="say")(lambda: "before")

    @plugin.tool
    def learn() -> None:
        plugin.tool(name="say", description="Better.")(lambda: "after")

    with create_test_host(plugin) as host:
        assert host.call_tool("say").content == "before"
        host.call_tool("learn")
        assert host.call_tool("say").content == "after"

    assert [each["tools"][0]["description"] for each in host.registry_updates] == ["Better."]


def test_a_host_that_is_gone_does_not_keep_another_from_being_told(plugin: Plugin) -> None:
    @plugin.tool
    def learn() -> None:
        plugin.tool(name="late")(lambda: "late")

    with create_test_host(plugin) as host:
        create_test_host(plugin).close()
        host.call_tool("learn")

    assert [each["tools"][0]["name"] for each in host.registry_updates] == ["late"]


def test_the_hooks_are_those_that_type_checkers_know() -> None:
    assert get_args(HookName) == HOOKS


def test_what_a_command_is_completed_to_may_be_given_once(plugin: Plugin) -> None:
    plugin.command("pick", complete=(each for each in ("one", "two")))(quiet)

    with create_test_host(plugin) as host:
        found = [[each.value for each in host.complete_command("pick", "t")] for _ in range(2)]

    assert found == [["two"], ["two"]]


def test_the_host_of_tests_says_what_people_could_not_answer(plugin: Plugin) -> None:
    @plugin.tool
    def choose(ctx: Context) -> str | None:
        return ctx.ui.select("?", ["a", "b"])

    @plugin.tool
    def confirm(ctx: Context) -> bool:
        return ctx.ui.confirm("?")

    @plugin.tool
    def write(ctx: Context) -> str | None:
        return ctx.ui.input("?")

    with create_test_host(plugin, ui=["c", "yes", True]) as host:
        said = [host.call_tool(name).content for name in ("choose", "confirm", "write")]

    assert said == [
        "AssertionError: 'c' is none of what people could select: ['a', 'b']",
        "AssertionError: people confirm with True or False, not with 'yes'",
        "AssertionError: people write a text, not True",
    ]
