"""What functions ask of their host, plain ones and `async` ones alike."""

from collections.abc import Callable
from typing import Any

import pytest

from papercup_plugin import (
    AsyncContext,
    CapabilityDisabledError,
    Context,
    ContextViolationError,
    ExecResult,
    NotTrustedError,
    Plugin,
    render,
)
from papercup_plugin.testing import NO_ANSWER, TestHost, create_test_host

Plain = Callable[[Context], Any]
Async = Callable[[AsyncContext], Any]
WIDGET = render.markdown("*hi*")


def run(plain: Plain, asynchronous: Async | None = None, **services: Any) -> tuple[Any, TestHost]:
    """Return what a command's function returned, and the host that it ran in."""
    plugin = Plugin("asking", version="1")
    returned: list[Any] = []

    @plugin.command
    def ask(ctx: Context) -> None:
        returned.append(plain(ctx))

    @plugin.command
    async def ask_async(ctx: AsyncContext) -> None:
        assert asynchronous is not None
        returned.append(await asynchronous(ctx))

    with create_test_host(plugin, **services) as host:
        host.run_command("ask" if asynchronous is None else "ask_async")
    return returned[0], host


EVERYTHING: list[tuple[str, Plain, Async]] = [
    (
        "select",
        lambda ctx: ctx.ui.select("?", ["a", "b"]),
        lambda ctx: ctx.ui.select("?", ["a", "b"]),
    ),
    ("confirm", lambda ctx: ctx.ui.confirm("?"), lambda ctx: ctx.ui.confirm("?")),
    ("input", lambda ctx: ctx.ui.input("?", "x"), lambda ctx: ctx.ui.input("?", "x")),
    ("notify", lambda ctx: ctx.ui.notify("!", "warn"), lambda ctx: ctx.ui.notify("!", "warn")),
    ("set_status", lambda ctx: ctx.ui.set_status("s"), lambda ctx: ctx.ui.set_status("s")),
    ("set_widget", lambda ctx: ctx.ui.set_widget(WIDGET), lambda ctx: ctx.ui.set_widget(WIDGET)),
    ("set_title", lambda ctx: ctx.ui.set_title("t"), lambda ctx: ctx.ui.set_title("t")),
]
ASKED: dict[str, dict[str, Any]] = {
    "select": {"prompt": "?", "options": ["a", "b"]},
    "confirm": {"prompt": "?"},
    "input": {"prompt": "?", "default": "x"},
    "notify": {"message": "!", "level": "warn"},
    "set_status": {"status": "s"},
    "set_widget": {"widget": WIDGET},
    "set_title": {"title": "t"},
}
ANSWERS: dict[str, Any] = {"select": "b", "confirm": True, "input": "words"}
NOBODY: dict[str, Any] = {"confirm": False}

each_kind = pytest.mark.parametrize(("kind", "plain", "asynchronous"), EVERYTHING)


@each_kind
def test_people_are_asked_and_their_answer_comes_back(
    kind: str, plain: Plain, asynchronous: Async
) -> None:
    answer = ANSWERS.get(kind)
    for way in (None, asynchronous):
        returned, host = run(plain, way, ui=[answer])

        assert returned == answer
        assert host.ui_requests == [{"kind": kind, **ASKED[kind]}]


@each_kind
def test_where_nobody_answers_the_answer_is_none_or_no(
    kind: str, plain: Plain, asynchronous: Async
) -> None:
    for way in (None, asynchronous):
        assert run(plain, way)[0] == NOBODY.get(kind)


def test_a_question_that_takes_too_long_is_withdrawn() -> None:
    for way in (None, lambda ctx: ctx.ui.confirm("?", timeout_seconds=0.01)):
        returned, host = run(
            lambda ctx: ctx.ui.confirm("?", timeout_seconds=0.01), way, ui=lambda _: NO_ANSWER
        )

        assert returned is False
        assert host.cancelled == [1]


def test_a_widget_can_be_taken_away() -> None:
    for way in (None, lambda ctx: ctx.ui.set_widget(None)):
        _, host = run(lambda ctx: ctx.ui.set_widget(None), way)

        assert host.ui_requests == [{"kind": "set_widget", "widget": {}}]


def test_what_people_can_be_shown_is_known() -> None:
    def kinds(ctx: Context) -> list[bool]:
        return [ctx.has_ui(), ctx.has_ui("confirm"), ctx.ui.has_ui("select")]

    assert run(kinds, ui_kinds=["confirm"])[0] == [True, True, False]
    assert run(kinds, ui_kinds=[])[0] == [False, False, False]


def test_values_are_kept() -> None:
    def keep(ctx: Context) -> list[Any]:
        ctx.kv.set("b", {"n": [1]})
        ctx.kv.delete("old")
        return [ctx.kv.get("b"), ctx.kv.get("none", "default"), ctx.kv.list("b")]

    async def keep_async(ctx: AsyncContext) -> list[Any]:
        await ctx.kv.set("b", {"n": [1]})
        await ctx.kv.delete("old")
        return [await ctx.kv.get("b"), await ctx.kv.get("none", "default"), await ctx.kv.list("b")]

    for way in (None, keep_async):
        returned, host = run(keep, way, kv={"a": 1, "old": 2})

        assert returned == [{"n": [1]}, "default", ["b"]]
        assert host.kv == {"a": 1, "b": {"n": [1]}}


def test_a_command_acts_in_the_session() -> None:
    def act(ctx: Context) -> Any:
        ctx.session.send_message("hello")
        ctx.session.send_user_message("go on", "steer")
        ctx.session.append_entry({"kind": "note"})
        ctx.session.set_model("opus", thinking="high")
        return ctx.session.state()

    async def act_async(ctx: AsyncContext) -> Any:
        await ctx.session.send_message("hello")
        await ctx.session.send_user_message("go on", "steer")
        await ctx.session.append_entry({"kind": "note"})
        await ctx.session.set_model("opus", thinking="high")
        return await ctx.session.state()

    for way in (None, act_async):
        returned, host = run(act, way, session_state={"name": "chat"})

        assert returned == {"name": "chat"}
        assert host.session_calls == [
            ("session/send_message", {"text": "hello", "role": "assistant"}),
            ("session/send_user_message", {"text": "go on", "deliver_as": "steer"}),
            ("session/append_entry", {"entry": {"kind": "note"}}),
            ("session/set_model", {"model": "opus", "thinking": "high"}),
        ]


def test_a_tool_does_not_act_in_the_session() -> None:
    plugin = Plugin("asking", version="1")
    caught: list[Exception] = []

    @plugin.tool
    def act(ctx: Context) -> None:
        try:
            ctx.session.send_message("hello")
        except ContextViolationError as error:
            caught.append(error)

    with create_test_host(plugin) as host:
        host.call_tool("act")

    assert [str(each) for each in caught] == [
        "session action requires a command-tier context (-32003)"
    ]


def test_programs_are_run_by_the_host() -> None:
    done = ExecResult("out", "err", 3)
    for way in (None, lambda ctx: ctx.exec("git", ["status"], cwd="/tmp")):
        returned, host = run(
            lambda ctx: ctx.exec("git", ["status"], cwd="/tmp"), way, runs=lambda _: done
        )

        assert returned == done
        assert host.exec_calls == [["git", "status"]]


def test_what_the_host_refuses_is_an_error_of_its_kind() -> None:
    def try_out(ctx: Context) -> list[str]:
        reasons: list[str] = []
        for kind, ask in (
            (NotTrustedError, lambda: ctx.exec("ls")),
            (CapabilityDisabledError, lambda: ctx.kv.get("a")),
        ):
            try:
                ask()
            except kind as error:
                reasons.append(error.message)
        return reasons

    assert run(try_out, refused=["kv"])[0] == [
        "the operator has not granted this plugin that programs are run for it",
        "kv/get needs the capability `kv`, which the manifest lacks",
    ]


def test_of_its_own_tools_a_plugin_may_choose() -> None:
    plugin = Plugin("choosing", version="1")
    plugin.tool(name="other")(lambda: None)

    @plugin.tool
    def choose(ctx: Context) -> list[str]:
        return ctx.set_active_tools(["choose", "Bash"])

    @plugin.tool
    async def choose_async(ctx: AsyncContext) -> list[str]:
        return await ctx.set_active_tools(["choose", "Bash"])

    with create_test_host(plugin) as host:
        for name in ("choose", "choose_async"):
            assert host.call_tool(name).content == '["choose"]'
            assert host.active_tools == ["choose"]


def test_the_log_the_bus_and_what_there_is_to_know_need_no_answer() -> None:
    def look(ctx: Context) -> list[Any]:
        ctx.log.debug("d")
        ctx.log.trace("t")
        ctx.log.info("i", count=1)
        ctx.log.warning("w")
        ctx.log.error("e")
        ctx.bus.publish("news", {"n": 1})
        ctx.on_update("nobody is told outside of tools")
        return [
            *(ctx.workspace.root, ctx.workspace.trusted, ctx.cwd, ctx.mode, ctx.flags),
            *(ctx.session_id, ctx.call_id, ctx.event, ctx.cancelled, ctx.signal.is_set()),
        ]

    returned, host = run(look, workspace_root="/w", session_id="chat", flags={"loud": True})

    facts = ["/w", True, "/w", "widget", {"loud": True}, "chat", None, None, False, False]
    assert returned == facts
    assert [level for level, _ in host.logs] == ["debug", "trace", "info", "warn", "error"]
    assert host.bus_publishes == [("news", {"n": 1})]
    assert host.updates == []


def test_a_tool_tells_how_far_it_has_come() -> None:
    plugin = Plugin("working", version="1")

    @plugin.tool
    def work(ctx: Context) -> None:
        ctx.progress(0.5, "half")
        ctx.on_update(progress=2, details={"n": 1})

    with create_test_host(plugin) as host:
        host.call_tool("work")

    assert host.updates == [
        {"call_id": "call-2", "message": "half", "progress": 0.5},
        {"call_id": "call-2", "progress": 1.0, "details": {"n": 1}},
    ]


def test_flags_are_as_the_operator_set_them_else_as_the_plugin_did() -> None:
    plugin = Plugin("flagged", version="1")
    plugin.flag("loud", default=False)
    plugin.flag("name", default="x")
    plugin.flag("other")

    @plugin.command
    def show(ctx: Context) -> str:
        return str(dict(ctx.flags))

    with create_test_host(plugin, flags={"loud": True}) as host:
        assert host.run_command("show") == "{'loud': True, 'name': 'x', 'other': None}"

    assert host.registrations["flags"] == ["loud", "name", "other"]
