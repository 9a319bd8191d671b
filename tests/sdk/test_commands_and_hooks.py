"""Commands, completion, hooks, events and the bus, in process."""

import threading
from typing import Any

import pytest

from papercup_plugin import AsyncContext, Context, Outcome, Plugin, RefusedError, block, modify
from papercup_plugin.errors import INTERNAL_ERROR, INVALID_PARAMS
from papercup_plugin.results import CompletionItem
from papercup_plugin.testing import AnswerError, create_test_host


@pytest.fixture
def plugin() -> Plugin:
    return Plugin("many", version="1")


def test_a_command_is_given_what_stands_after_it(plugin: Plugin) -> None:
    @plugin.command
    def greet(args: str, ctx: Context) -> str:
        """Greet somebody.

        At length.
        """
        return f"{ctx.call_id} {args}"

    @plugin.command("/quiet", description="Says nothing.")
    def other() -> None: ...

    @plugin.command("later")
    async def later(args: str) -> dict[str, str]:
        return {"args": args}

    with create_test_host(plugin) as host:
        said = [host.run_command(name, "Ada L.") for name in ("greet", "quiet", "later")]

    assert said == ["None Ada L.", None, '{"args": "Ada L."}']
    assert host.registrations["commands"] == [
        {"name": "greet", "description": "Greet somebody."},
        {"name": "quiet", "description": "Says nothing."},
        {"name": "later", "description": ""},
    ]


def test_a_command_that_fails_says_why(plugin: Plugin, capsys: pytest.CaptureFixture[str]) -> None:
    @plugin.command
    def refuse() -> None:
        raise RefusedError("not that")

    @plugin.command
    def fail() -> None:
        raise KeyError("x")

    errors: list[tuple[int, str]] = []
    with create_test_host(plugin) as host:
        for name in ("refuse", "fail", "none"):
            with pytest.raises(AnswerError) as caught:
                host.run_command(name)
            errors.append((caught.value.code, caught.value.message))

    assert errors == [
        (INVALID_PARAMS, "not that"),
        (INTERNAL_ERROR, "KeyError: 'x'"),
        (INVALID_PARAMS, "there is no command 'none'"),
    ]
    assert capsys.readouterr().err.count("Traceback") == 1


def test_arguments_are_completed(plugin: Plugin) -> None:
    def find(partial: str) -> list[Any]:
        return [f"{partial}!", ("b", "Beta"), CompletionItem("c")]

    async def find_async(partial: str, ctx: AsyncContext) -> list[str]:
        return [f"{partial}?{ctx.cancelled}"]

    plugin.command("listed", complete=["Apple", ("avocado", "green"), "pear"])(lambda: None)
    plugin.command("found", complete=find)(lambda: None)
    plugin.command("found_async", complete=find_async)(lambda: None)
    plugin.command("plain")(lambda: None)

    with create_test_host(plugin) as host:
        assert host.complete_command("listed", "A") == [
            CompletionItem("Apple"),
            CompletionItem("avocado", "green"),
        ]
        assert host.complete_command("found", "x") == [
            CompletionItem("x!"),
            CompletionItem("b", "Beta"),
            CompletionItem("c"),
        ]
        assert host.complete_command("found_async", "x") == [CompletionItem("x?False")]
        assert host.complete_command("plain", "x") == []


def test_hooks_of_one_point_see_what_those_before_them_changed(plugin: Plugin) -> None:
    seen: list[dict[str, Any]] = []

    @plugin.hook("input")
    def shout(event: dict[str, Any]) -> dict[str, Any]:
        return {"text": event["text"].upper()}

    @plugin.hook("input")
    async def look(event: dict[str, Any], ctx: AsyncContext) -> Outcome:
        seen.append({**event, "hook": ctx.event, "session": ctx.session_id})
        return modify(source="voice")

    with create_test_host(plugin) as host:
        outcome = host.call_hook("input", {"text": "hi", "session_id": "chat"})
        passed = host.call_hook("context", {"messages": []})

    assert outcome == modify(text="HI", source="voice")
    assert passed == Outcome()
    assert seen == [{"text": "HI", "session_id": "chat", "hook": "input", "session": "chat"}]
    assert host.registrations["hooks"] == ["input"]


def test_the_first_that_forbids_it_ends_the_chain(plugin: Plugin) -> None:
    @plugin.hook("tool_call")
    def forbid(event: dict[str, Any]) -> Outcome | None:
        return block("not Bash") if event["tool"] == "Bash" else None

    @plugin.hook("tool_call")
    def refuse(event: dict[str, Any]) -> None:
        raise RefusedError(f"not {event['tool']} either")

    with create_test_host(plugin) as host:
        assert host.call_hook("tool_call", {"tool": "Bash"}) == block("not Bash")
        assert host.call_hook("tool_call", {"tool": "Read"}) == block("not Read either")


def test_a_hook_that_breaks_is_an_error_so_that_the_host_may_fail_closed(plugin: Plugin) -> None:
    @plugin.hook("tool_call")
    def broken(event: dict[str, Any]) -> None:
        event["none"]

    with create_test_host(plugin) as host, pytest.raises(AnswerError) as caught:
        host.call_hook("tool_call", {"tool": "Bash"})

    assert caught.value.code == INTERNAL_ERROR


def test_a_hook_may_act_in_the_session(plugin: Plugin) -> None:
    @plugin.hook("input")
    def note(event: dict[str, Any], ctx: Context) -> None:
        ctx.session.append_entry({"said": event["text"]})

    with create_test_host(plugin) as host:
        host.call_hook("input", {"text": "hi"})

    assert host.session_calls == [("session/append_entry", {"entry": {"said": "hi"}})]


def test_events_are_told_in_their_order(plugin: Plugin) -> None:
    told: list[Any] = []

    @plugin.on("turn_start", "turn_end")
    def plain(event: dict[str, Any], ctx: Context) -> None:
        told.append((ctx.event, event["n"], ctx.session_id))

    @plugin.on("turn_end")
    async def asynchronous() -> None:
        told.append("async")

    with create_test_host(plugin) as host:
        for n in range(3):
            host.send_event("turn_start", {"n": n, "session_id": "chat"})
        host.send_event("turn_end", {"n": 3})
        host.send_event("nobody_asked")

    assert told == [
        *(("turn_start", n, "chat") for n in range(3)),
        ("turn_end", 3, None),
        "async",
    ]
    assert host.registrations["subscriptions"] == ["turn_start", "turn_end"]


def test_one_that_breaks_does_not_keep_others_from_being_told(
    plugin: Plugin, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[str] = []

    @plugin.on("turn_end")
    def broken() -> None:
        raise KeyError("x")

    @plugin.on("turn_end")
    def whole() -> None:
        told.append("told")

    with create_test_host(plugin) as host:
        host.send_event("turn_end")
        host.send_event("turn_end")

    assert told == ["told", "told"]
    assert capsys.readouterr().err.count("Traceback") == 2


def test_what_others_publish_on_a_topic_is_heard(plugin: Plugin) -> None:
    heard: list[Any] = []

    @plugin.bus.on("news")
    def listen(payload: dict[str, Any], ctx: Context) -> None:
        heard.append(payload)
        ctx.bus.publish("answer", {"got": payload["n"]})

    @plugin.on("bus/event")
    def everything(event: dict[str, Any]) -> None:
        heard.append(event["topic"])

    with create_test_host(plugin) as host:
        host.publish("news", {"n": 1})
        host.publish("other", {"n": 2})

    assert heard == ["news", {"n": 1}, "other"]
    assert host.bus_publishes == [("answer", {"got": 1})]
    assert host.registrations["subscriptions"] == ["bus/event", "news"]


def test_events_are_seen_to_before_the_plugin_ends(plugin: Plugin) -> None:
    began, may_go_on = threading.Event(), threading.Event()

    @plugin.on("session_shutdown")
    def save(event: dict[str, Any], ctx: Context) -> None:
        began.set()
        may_go_on.wait(10)
        ctx.kv.set("reason", event["reason"])

    with create_test_host(plugin) as host:
        teller = threading.Thread(
            target=host.send_event, args=("session_shutdown", {"reason": "stop"})
        )
        teller.start()
        assert began.wait(10)
        may_go_on.set()
        host.shutdown()
        teller.join(10)

    assert host.kv == {"reason": "stop"}


def test_what_only_some_hosts_draw_is_registered(plugin: Plugin) -> None:
    plugin.shortcut("ctrl+p", "roll", description="Rolls.")
    plugin.shortcut("f2", "roll")
    plugin.message_renderer("board", {"kind": "markdown", "text": "{{score}}"})

    with create_test_host(plugin) as host:
        registrations = host.registrations

    assert registrations["shortcuts"] == [
        {"key": "ctrl+p", "command": "roll", "description": "Rolls."},
        {"key": "f2", "command": "roll"},
    ]
    assert registrations["message_renderers"] == [
        {"tag": "board", "template": {"kind": "markdown", "text": "{{score}}"}}
    ]


def _greedy(first: str, second: str) -> None: ...


def test_a_function_that_wants_more_than_it_is_given_is_refused(plugin: Plugin) -> None:
    with pytest.raises(TypeError, match="_greedy is given one value and `ctx`, but wants first, s"):
        plugin.hook("input")(_greedy)  # type: ignore[type-var]
