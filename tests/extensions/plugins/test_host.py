"""The whole host, with real programs."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from extensions.errors import PluginCallError, PluginNotFoundError
from extensions.hooks import Changed, HookPoint, Pass
from extensions.plugins.host import open_plugin_host
from extensions.plugins.lifecycle import Failed, Ready, Shutdown
from extensions.plugins.manifest import Capabilities
from extensions.plugins.registrations import PluginCompletion, Registrations
from extensions.plugins.services import AuditKind
from extensions.tools import Tool, ToolAnswer
from tests.fakes.plugin_host import (
    ALL,
    ELSEWHERE,
    HERE,
    JOB,
    SPEAKER,
    HostKit,
    sep,
    stdio,
)


@pytest.fixture
def kit() -> HostKit:
    return HostKit()


def names(kit: HostKit) -> list[str]:
    return [tool.name for tool in kit.registry.visible_to(SPEAKER)]


async def test_a_plugin_of_each_dialect_offers_its_tools_by_public_names(kit: HostKit) -> None:
    async with kit.host(sep("echo"), stdio("sums")):
        said = await kit.use("ext_echo_say", phrase="hello")
        added = await kit.use("ext_sums_add", a=2, b=3)

    assert said == ToolAnswer("hello")
    assert added == ToolAnswer('{"sum": 5}')


async def test_everything_that_a_plugin_offered_is_gone_once_the_host_is_closed(
    kit: HostKit,
) -> None:
    async with kit.host(sep("echo")) as host:
        assert kit.tool("ext_echo_say").description == "[ext:echo] The tool say."
        plugin = host.find("echo")

    assert isinstance(plugin.state, Shutdown)
    assert names(kit) == []


async def test_jobs_are_offered_the_tools_that_the_operator_allows(kit: HostKit) -> None:
    kit.for_jobs = frozenset({"say"})
    async with kit.host(sep("echo")):
        assert [tool.name for tool in kit.registry.visible_to(JOB)] == ["ext_echo_say"]


async def test_a_tool_that_fails_says_so_to_the_model(kit: HostKit) -> None:
    async with kit.host(sep("echo")):
        answer = await kit.use("ext_echo_fail", phrase="why")

    assert answer == ToolAnswer("plugin `echo` tool `fail` failed: no, why", is_error=True)


async def test_arguments_that_do_not_fit_are_never_sent(kit: HostKit) -> None:
    async with kit.host(sep("echo")):
        answer = await kit.use("ext_echo_say", phrase=1)

    reason = "tool `say` does not take these arguments: `phrase` has to be of the type string"
    assert answer == ToolAnswer(f"plugin `echo` {reason}", is_error=True)


async def test_what_is_not_declared_is_not_offered(kit: HostKit) -> None:
    declared = Capabilities(tools=frozenset({"say"}), hooks=frozenset(), providers=frozenset())
    async with kit.host(sep("echo", capabilities=declared)) as host:
        assert names(kit) == ["ext_echo_say"]
        assert host.commands() == ()
        assert host.providers() == ()
        assert not host.is_hooked(HookPoint.TOOL_CALL)
        assert not host.is_observed("turn_start")


async def test_the_later_of_two_tools_of_one_name_is_not_offered(
    kit: HostKit, caplog: pytest.LogCaptureFixture
) -> None:
    async def other(_call: Any) -> ToolAnswer:
        return ToolAnswer("other")

    kit.registry.offer(
        Tool(
            name="ext_echo_say",
            description="",
            input_schema={},
            offered_to=frozenset({SPEAKER.kind}),
            handler=other,
        )
    )
    async with kit.host(sep("echo")):
        assert await kit.use("ext_echo_say") == ToolAnswer("other")

    assert "plugin echo: tool ext_echo_say is not offered: Papercup offers one" in caplog.text
    assert names(kit) == ["ext_echo_say"]


@pytest.mark.parametrize("ids", [("a", "a_b"), ("a_b", "a")])
async def test_which_of_two_plugins_keeps_a_name_does_not_depend_on_who_is_ready_first(
    kit: HostKit, caplog: pytest.LogCaptureFixture, ids: tuple[str, str]
) -> None:
    tools = {"a": "b_say", "a_b": "say"}
    async with kit.host(sep("a"), sep("a_b")) as host:
        for plugin in map(host.find_program, ids):
            plugin.register(Registrations())
        for plugin in map(host.find_program, ids):
            plugin.register(plugin.registrations_in({"tools": [{"name": tools[plugin.id]}]}))
        offered = {each["id"]: list(each["tools"]) for each in host.report()}

    assert offered == {"a": ["ext_a_b_say"], "a_b": []}
    assert "plugin a_b: tool ext_a_b_say is not offered: plugin a offers one" in caplog.text


async def test_a_plugin_is_told_where_it_runs(kit: HostKit) -> None:
    async with kit.host(sep("echo", capabilities=replace(ALL, ui=True))):
        greeting = json.loads(kit.serving.told[0][2]["message"])

    assert greeting == {
        "protocol_version": 1,
        "host": {"name": "papercup", "version": "1.2"},
        "workspace": {"root": "/project", "trusted": True},
        "mode": "widget",
        "ui_capabilities": [
            "select",
            "confirm",
            "input",
            "notify",
            "set_status",
            "set_widget",
            "set_title",
        ],
        "flags": {"loud": True},
        "capabilities_enabled": {
            "tools": True,
            "commands": True,
            "ui": True,
            "exec": False,
            "kv": False,
            "bus": False,
            "session": False,
            "providers": True,
        },
    }


async def test_commands_answer_in_the_words_that_people_are_shown(kit: HostKit) -> None:
    async with kit.host(sep("echo"), stdio("sums")) as host:
        assert [(each.plugin_id, each.name) for each in host.commands()] == [("echo", "greet")]
        assert await host.run_command("echo", "greet", "you", HERE) == "hello you"
        assert await host.run_command("echo", "greet", "", HERE) == "/greet: done"
        with pytest.raises(PluginCallError) as failed:
            await host.run_command("echo", "greet", "fail", HERE)
        with pytest.raises(PluginCallError, match="it has no command /other"):
            await host.run_command("echo", "other", "", HERE)
        with pytest.raises(PluginNotFoundError):
            await host.run_command("nobody", "greet", "", HERE)

    assert failed.value.reason == "/greet failed: not that"


async def test_arguments_of_a_command_are_completed_or_not(kit: HostKit) -> None:
    async with kit.host(sep("echo"), stdio("sums")) as host:
        found = await host.complete_command("echo", "greet", "wor", HERE)
        others = [
            await host.complete_command(plugin, "greet", "", HERE) for plugin in ("sums", "nobody")
        ]

    assert found == [PluginCompletion(value="wor-done")]
    assert others == [[], []]


async def test_a_provider_answers_in_parts(kit: HostKit) -> None:
    parts: list[Any] = []
    request = {"provider": "parrot", "model": "grey", "messages": []}
    async with kit.host(sep("echo")) as host:
        plugin = host.find_program("echo")
        answer = await plugin.complete_with(request, HERE, on_delta=parts.append)
        providers = host.providers()

    assert answer == {"content": "hi"}
    assert parts == [{"type": "Delta", "text": "h"}]
    assert providers == (("echo", "parrot"),)


async def test_progress_reaches_whoever_called(kit: HostKit) -> None:
    heard: list[Any] = []
    async with kit.host(sep("echo")) as host:
        plugin = host.find_program("echo")
        await plugin.call_tool("progress", {}, HERE, call_id="use-1", on_progress=heard.append)

    assert [(each.message, each.progress) for each in heard] == [("half", 0.5)]


async def test_events_are_told_to_those_that_asked(kit: HostKit) -> None:
    async with kit.host(sep("echo"), sep("other", capabilities=Capabilities(tools=None))) as host:
        await asyncio.sleep(0)
        kit.serving.told.clear()
        host.tell("turn_start", {"session_id": "chat"}, HERE)
        host.tell("turn_end", {}, HERE)
        async with asyncio.timeout(5):
            while not kit.serving.told:
                kit.serving.news.clear()
                await kit.serving.news.wait()

    told = [(plugin, json.loads(params["message"])) for plugin, _, params in kit.serving.told]
    assert len(told) == 1
    plugin, message = told[0]
    context = message["params"].pop("context")
    assert (plugin, message["params"]) == (
        "echo",
        {"event": "turn_start", "seq": 0, "payload": {"session_id": "chat"}},
    )
    assert context["tier"] == "event"


async def test_a_plugin_that_asks_people_serves_one_of_them_at_a_time(kit: HostKit) -> None:
    async with kit.host(sep("echo", capabilities=replace(ALL, ui=True))) as host:
        plugin = host.find_program("echo")
        async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
            first = tasks.create_task(plugin.call_tool("ask", {"phrase": "a"}, HERE))
            await kit.serving.news.wait()
            while not kit.serving.asked:
                kit.serving.news.clear()
                await kit.serving.news.wait()
            second = tasks.create_task(plugin.call_tool("say", {"phrase": "b"}, ELSEWHERE))
            await asyncio.sleep(0)
            assert plugin.occasion == HERE
            assert not second.done()
            kit.serving.may_answer.set()

    assert first.result().text == '{"result": {"confirmed": true}}'
    assert second.result().text == "b"
    assert [occasion for *_, occasion in kit.serving.asked] == [HERE]


async def test_a_plugin_that_cannot_start_is_one_line_in_the_report(kit: HostKit) -> None:
    gone = replace(sep("gone").manifest, run=replace_command("no-such-program"))
    async with kit.host(sep("echo"), replace(sep("gone"), manifest=gone)) as host:
        report = {each["id"]: each for each in host.report()}

    assert (report["echo"]["state"], report["echo"]["restarts"]) == ("ready", 0)
    assert report["gone"]["state"] == "failed"
    assert report["gone"]["reason"] == "its program 'no-such-program' is not found on PATH"


def replace_command(command: str) -> Any:
    run = sep("any").manifest.run
    assert run is not None
    return replace(run, command=command)


async def test_a_plugin_that_is_refused_is_not_started(kit: HostKit) -> None:
    async def refuse(_candidate: Any) -> str | None:
        return "nobody has trusted it yet"

    async with kit.host(sep("echo"), refusal_of=refuse) as host:
        assert host.find("echo").state == Failed("nobody has trusted it yet")
        assert host.find("echo").lifecycle.epoch == 0


async def test_a_reload_starts_another_program_and_reads_its_tools_anew(kit: HostKit) -> None:
    async with kit.host(sep("echo")) as host:
        first = host.find("echo").pid
        assert "ext_echo_extra" not in names(kit)
        kit.number = "2"
        plugin = await host.reload(sep("echo", "extra"))

        assert plugin is host.find("echo")
        assert (plugin.pid != first, plugin.lifecycle.epoch) == (True, 2)
        assert "ext_echo_extra" in names(kit)
        assert await kit.use("ext_echo_number") == ToolAnswer("2")


async def test_a_reload_that_comes_to_nothing_says_why(kit: HostKit) -> None:
    async with kit.host(sep("echo")) as host:
        with pytest.raises(PluginCallError, match="child exited before handshake completed"):
            await host.reload(sep("echo", "exit-early"))
        assert names(kit) == []

        await host.reload(sep("echo"))
        assert await kit.use("ext_echo_say", phrase="back") == ToolAnswer("back")


async def test_a_plugin_that_is_new_is_loaded_by_a_reload(kit: HostKit) -> None:
    async with kit.host() as host:
        await host.reload(sep("echo"))
        assert await kit.use("ext_echo_say", phrase="new") == ToolAnswer("new")


async def test_an_unloaded_plugin_offers_nothing(kit: HostKit) -> None:
    async with kit.host(sep("echo")) as host:
        changes: list[None] = []
        host.watch(lambda: changes.append(None))
        await host.unload("echo")

        assert (names(kit), host.plugins, host.commands()) == ([], (), ())
        assert changes
        with pytest.raises(PluginNotFoundError):
            await host.unload("echo")


async def test_what_a_plugin_registers_later_is_offered(kit: HostKit) -> None:
    async with kit.host(sep("echo")) as host:
        plugin = host.find_program("echo")
        later = plugin.registrations_in({"tools": [{"name": "late"}, {"name": ""}]})
        plugin.register(later)
        assert names(kit) == ["ext_echo_late"]

        plugin.set_active(frozenset())
        assert names(kit) == []
        plugin.register(plugin.registrations_in({"tools": [{"name": "late"}, {"name": "later"}]}))
        assert names(kit) == ["ext_echo_later"]


async def test_what_was_loaded_and_what_crashed_is_in_the_audit_log(kit: HostKit) -> None:
    async with kit.host(sep("echo")):
        await kit.use("ext_echo_crash")

    kinds = [(kind, plugin) for kind, plugin, _ in kit.audit.notes]
    assert kinds[:2] == [(AuditKind.LOADED, "echo"), (AuditKind.CRASHED, "echo")]


async def test_hooks_wait_for_the_plugins_that_are_being_loaded(kit: HostKit) -> None:
    guard = stdio("guard", "guards")
    call = {"tool": "Bash", "tool_name": "Bash", "arguments": {}}
    async with open_plugin_host(kit.parts()) as host, asyncio.TaskGroup() as tasks:
        assert host.is_hooked(HookPoint.CONTEXT)
        ruling = tasks.create_task(host.fire(HookPoint.TOOL_CALL, call, HERE))
        await asyncio.sleep(0)
        await host.load([guard])
        assert not host.is_hooked(HookPoint.CONTEXT)

    assert getattr(ruling.result(), "reason", None) == "not Bash"


async def test_hooks_of_both_dialects_change_what_a_person_said(kit: HostKit) -> None:
    shout = sep("shout", "hook=modify", 'patch={"text": "HELLO", "source": "voice"}', priority=1)
    async with kit.host(shout, stdio("strip")) as host:
        value = {"text": "  hello", "source": "text", "images": 0}
        ruling = await host.fire(HookPoint.INPUT, value, HERE)
        passed = await host.fire(HookPoint.MESSAGE_END, {"text": "x", "source": "text"}, HERE)

    assert ruling == Changed(
        {
            "agent_id": "speaker",
            "session_id": "chat",
            "text": "HELLO",
            "source": "text",
            "images": 0,
        },
        ("strip", "shout"),
    )
    assert passed == Pass()


async def test_a_plugin_of_the_older_page_is_asked_in_its_words(kit: HostKit) -> None:
    async with kit.host(stdio("sums", "older")):
        assert await kit.use("ext_sums_add", a=1, b=1) == ToolAnswer('{"sum": 2}')


async def test_a_plugin_may_shake_hands_with_the_number_on_the_page(kit: HostKit) -> None:
    async with asyncio.timeout(5), kit.host(stdio("sums", "fixed")):
        assert await kit.use("ext_sums_add", a=1, b=1) == ToolAnswer('{"sum": 2}')


async def test_a_plugin_that_wants_to_know_gets_the_ids_with_the_arguments(kit: HostKit) -> None:
    async with kit.host(stdio("sums", passes_context=True)):
        answer = await kit.use("ext_sums_say", word="x")

    assert json.loads(answer.text) == {
        "word": "x",
        "_meta": {"agent_id": "speaker", "session_id": "chat"},
    }


async def test_a_plugin_is_told_why_it_ends(kit: HostKit, tmp_path: Path) -> None:
    async with kit.host(stdio("sums", "mark", folder=tmp_path)) as host:
        assert host.find("sums").state == Ready()

    assert (tmp_path / "said-goodbye").read_text() == "stop"
