"""How a program is kept running: with programs that are none, on a virtual clock."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from extensions.errors import LocalProtocolError, PluginCallError
from extensions.hooks import HookPoint
from extensions.plugins.contexts import ContextTier, Current
from extensions.plugins.dialects.dialect import Blocks, Continues, Unusable
from extensions.plugins.host import HostSettings, PluginHost
from extensions.plugins.lifecycle import Failed, Ready, Restarting, Shutdown, Spawning
from extensions.plugins.manifest import Candidate
from extensions.plugins.plugin import Plugin
from extensions.plugins.services import AuditKind
from extensions.plugins.supervision import SupervisionOptions
from extensions.process.restart import RestartOptions
from extensions.rpc.errors import ErrorCode, RpcError
from tests.fakes.plugin_host import ELSEWHERE, HERE, SPEAKER, HostKit, sep, stdio
from tests.fakes.plugin_peer import GREETING, HANG, FakePrograms
from tests.fakes.virtual_clock import run_on_virtual_clock
from tests.fakes.waiting import until

RESTARTS = RestartOptions(
    window_seconds=60.0, first_wait_seconds=0.1, longest_wait_seconds=1.0, jitter_share=0.0
)
SETTINGS = HostSettings(supervision=SupervisionOptions(restarts=RESTARTS))
Work = Callable[[PluginHost, Plugin, FakePrograms], Coroutine[Any, Any, None]]


def supervised(
    work: Work,
    *scripts: Any,
    candidate: Candidate | None = None,
    settings: HostSettings = SETTINGS,
) -> HostKit:
    """Run `work` with one plugin, and return what its host worked with."""
    programs = FakePrograms(list(scripts) or [{}])

    async def run() -> HostKit:
        kit = HostKit(settings=settings)
        async with kit.host(candidate or sep("echo"), open_peer=programs) as host:
            await work(host, host.find_program("echo"), programs)
        assert programs.alive == 0
        return kit

    return run_on_virtual_clock(run())


async def until_is(plugin: Plugin, kind: type) -> None:
    await until(lambda: isinstance(plugin.state, kind), timeout_seconds=1000)


def test_a_plugin_that_crashes_again_and_again_is_given_up_at_the_sixth_end() -> None:
    async def work(_host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        for _ in range(6):
            await until_is(plugin, Ready)
            programs.peer.crash()
            await until(lambda: not isinstance(plugin.state, Ready))
        assert plugin.state == Failed(
            "max restart attempts exceeded; the last time it exited with code 5"
        )
        assert plugin.lifecycle.restarts == 5
        waits = [b - a for a, b in zip(programs.starts_at, programs.starts_at[1:], strict=False)]
        assert waits == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.0], abs=0.02)
        with pytest.raises(PluginCallError, match="plugin not ready: it exited with code 5"):
            await plugin.call_tool("say", {}, HERE)

    kit = supervised(work)
    assert [kind for kind, *_ in kit.audit.notes].count(AuditKind.CRASHED) == 6
    assert kit.registry.visible_to(SPEAKER) == []


def test_a_tool_that_is_used_while_its_program_is_started_again_waits_for_it() -> None:
    async def work(_host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        programs.peer.crash()
        await until_is(plugin, Restarting)
        answer = await plugin.call_tool("say", {}, HERE)
        assert (answer.text, plugin.lifecycle.restarts) == ("x", 1)

    supervised(work, {"tool/execute": {"content": "x"}})


def test_a_tool_waits_no_longer_than_five_seconds_for_a_program_that_does_not_come_up() -> None:
    async def work(_host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        programs.peer.crash()
        await until_is(plugin, Restarting)
        began = asyncio.get_running_loop().time()
        with pytest.raises(PluginCallError, match="plugin not ready: it exited with code 5"):
            await plugin.call_tool("say", {}, HERE)
        assert asyncio.get_running_loop().time() - began == pytest.approx(5.0, abs=0.1)

    supervised(work, {}, {"initialize": HANG})


def test_ends_that_lie_far_apart_never_give_a_plugin_up() -> None:
    async def work(_host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        for _ in range(20):
            await until_is(plugin, Ready)
            await asyncio.sleep(61)
            programs.peer.crash()
            await until_is(plugin, Restarting)
            assert plugin.state == Restarting(1)

    supervised(work)


def test_a_clock_that_others_turn_changes_nothing() -> None:
    # All times are those of the loop's own clock, which here starts at zero: no wall clock is read.
    async def work(_host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        assert programs.starts_at == [0.0]
        await asyncio.sleep(3600)
        programs.peer.crash()
        await until_is(plugin, Restarting)
        await until_is(plugin, Ready)
        assert programs.starts_at[-1] == pytest.approx(3600.1, abs=0.02)

    supervised(work)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ({"initialize": HANG}, "handshake timed out after 10s"),
        ({"initialize": []}, "invalid handshake payload: it is not an object"),
        ({"initialize": {"protocol_version": 0}}, "protocol version 0 is not spoken any more"),
        (
            {"initialize": RpcError(ErrorCode.INTERNAL_ERROR, "no")},
            "it refused the handshake: no (-32603)",
        ),
        (OSError("exec format error"), "exec format error"),
    ],
)
def test_a_handshake_that_fails_is_one_diagnostic_and_no_retry(script: Any, reason: str) -> None:
    async def work(host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        assert plugin.state == Failed(reason)
        await asyncio.sleep(1000)
        assert len(programs.starts_at) == 1
        assert [each["reason"] for each in host.report()] == [reason]

    supervised(work, script)


def test_a_handshake_that_fails_after_a_crash_is_tried_again() -> None:
    async def work(_host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        programs.peer.crash()
        await until_is(plugin, Restarting)
        await until_is(plugin, Ready)
        assert (len(programs.starts_at), plugin.epoch) == (3, 3)

    supervised(work, {}, {"initialize": HANG}, {})


def test_tools_are_read_anew_after_a_restart() -> None:
    more = {"protocol_version": 1, "registrations": {"tools": [{"name": "roll"}]}}

    async def work(_host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        assert [tool.name for tool in plugin.offered] == ["say"]
        plugin.set_active(frozenset())
        programs.peer.crash()
        await until_is(plugin, Restarting)
        await until_is(plugin, Ready)
        assert [tool.name for tool in plugin.offered] == ["roll"]

    supervised(work, {}, {"initialize": more})


def test_a_silent_plugin_is_pinged_and_killed_after_two_missed_pings() -> None:
    async def work(_host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        await asyncio.sleep(59)
        assert [method for method, _ in programs.peer.called] == ["initialize"]
        await asyncio.sleep(2)
        assert programs.peer.called[-1] == ("ping", {})

        hung = programs.peer
        hung.answers["ping"] = HANG
        await asyncio.sleep(79)
        assert plugin.state == Ready()
        await asyncio.sleep(1.5)
        assert len(programs.started) == 2
        assert programs.peer is not hung

    kit = supervised(work)
    assert (AuditKind.CRASHED, "echo", "it does not answer any more") in kit.audit.notes


def test_an_open_call_is_no_reason_to_ping() -> None:
    async def work(_host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        programs.peer.answers |= {"provider/oauth_login": HANG, "tool/execute": HANG, "ping": HANG}
        with pytest.raises(PluginCallError, match="was not answered within 300 seconds"):
            await plugin.request("provider/oauth_login", {}, timeout_seconds=300)
        with pytest.raises(PluginCallError, match="was not answered within 120 seconds"):
            await plugin.call_tool("say", {}, HERE)
        assert plugin.state == Ready()

    supervised(work)


def test_a_stdio_plugin_that_ignores_what_it_does_not_know_is_left_alone() -> None:
    greeting: dict[str, Any] = {"tools": [], "hooks": []}

    async def work(_host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        await asyncio.sleep(1000)
        assert plugin.state == Ready()
        assert [method for method, _ in programs.peer.called] == ["initialize", "tools/list"]

    candidate = stdio("echo")
    supervised(work, {"initialize": greeting, "tools/list": HANG}, candidate=candidate)


def test_five_timeouts_open_the_breaker_and_one_call_finds_out() -> None:
    async def work(host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        programs.peer.answers["tool/execute"] = HANG
        async with asyncio.TaskGroup() as tasks:
            for _ in range(5):
                tasks.create_task(fails(plugin, "was not answered within"))
        await fails(plugin, "circuit breaker open for plugin")
        assert host.report()[0]["breaker"] == {
            "name": "ext:stdio:echo",
            "state": "open",
            "times_opened": 1,
        }

        await asyncio.sleep(10)
        before = len(programs.peer.called)
        async with asyncio.TaskGroup() as tasks:
            for _ in range(50):
                tasks.create_task(fails(plugin, "circuit breaker|not answered"))
        assert len(programs.peer.called) - before == 1

        programs.peer.answers["tool/execute"] = {"content": "back"}
        await asyncio.sleep(20)
        for _ in range(3):
            assert (await plugin.call_tool("say", {}, HERE)).text == "back"

    supervised(work)


async def fails(plugin: Plugin, match: str) -> None:
    with pytest.raises(PluginCallError, match=match):
        await plugin.call_tool("say", {}, HERE)


def test_a_plugins_own_errors_never_open_the_breaker() -> None:
    async def work(host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        programs.peer.answers["tool/execute"] = RpcError(ErrorCode.INVALID_PARAMS, "no")
        for _ in range(20):
            await fails(plugin, "tool `say` failed: no")
        assert host.report()[0]["breaker"]["state"] == "closed"

    supervised(work)


def test_a_host_that_is_closed_while_a_plugin_starts_does_not_wait_for_it() -> None:
    programs = FakePrograms([{"initialize": HANG}])

    async def run() -> None:
        kit = HostKit(settings=SETTINGS)
        async with asyncio.TaskGroup() as tasks:
            async with kit.host(open_peer=programs) as host:
                loading = tasks.create_task(host.load([sep("echo")]))
                await until(lambda: bool(programs.started))
                plugin = host.find("echo")
            assert plugin.state == Shutdown()
            assert asyncio.get_running_loop().time() < 1
            await loading

    run_on_virtual_clock(run())


def test_all_plugins_are_ended_at_once() -> None:
    programs = FakePrograms([{"shutdown": HANG}])

    async def run() -> None:
        kit = HostKit(settings=SETTINGS)
        plugins = [sep(f"p{number}") for number in range(20)]
        async with kit.host(*plugins, open_peer=programs):
            started = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - started == pytest.approx(5, abs=0.1)
        assert [peer.farewell is not None for peer in programs.started] == [True] * 20

    run_on_virtual_clock(run())


def test_a_few_plugins_are_started_at_once() -> None:
    programs = FakePrograms([{"initialize": HANG}])

    async def run() -> None:
        kit = HostKit(settings=SETTINGS)
        async with kit.host(*[sep(f"p{n}") for n in range(20)], open_peer=programs) as host:
            assert {type(each.state) for each in host.plugins} == {Failed}
        starts = [round(each) for each in programs.starts_at]
        assert starts == [0] * 8 + [10] * 8 + [20] * 4

    run_on_virtual_clock(run())


def test_a_reload_resets_what_happened_before_and_is_told_to_the_plugin() -> None:
    greeting = {
        **GREETING,
        "registrations": {"subscriptions": ["session_start", "session_shutdown"]},
    }

    async def work(host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        first = programs.peer
        stale = plugin.calls.event_context(HERE)
        await host.reload(sep("echo"))
        assert [each["event"] for each in first.observed] == ["session_shutdown"]
        assert [each["payload"] for each in programs.peer.observed] == [{"reason": "reload"}]
        assert plugin.calls.event_context(HERE) != stale
        assert first.farewell is not None

    supervised(work, {"initialize": greeting})


@pytest.mark.parametrize("is_reloaded", [True, False])
def test_a_call_that_is_open_when_a_plugin_is_ended_says_that_it_was(*, is_reloaded: bool) -> None:
    async def work(host: PluginHost, plugin: Plugin, _programs: FakePrograms) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(fails(plugin, "it was ended or reloaded before it had answered"))
            await until(lambda: plugin.calls.is_busy)
            tasks.create_task(host.reload(sep("echo")) if is_reloaded else host.unload("echo"))

    supervised(work, {"tool/execute": HANG})


def test_a_call_that_is_open_when_a_reloaded_plugin_dies_says_how_it_did() -> None:
    async def work(host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        await host.reload(sep("echo"))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(fails(plugin, "tool `say` failed: it exited with code 5"))
            await until(lambda: plugin.calls.is_busy)
            programs.peer.crash()

    supervised(work, {"tool/execute": HANG})


def test_a_failed_plugin_is_up_again_after_a_reload() -> None:
    async def work(host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        assert str(plugin.state) == "failed"
        await host.reload(sep("echo"))
        assert str(plugin.state) == "ready"
        programs.peer.crash()
        await until_is(plugin, Restarting)
        assert plugin.state == Restarting(1)

    supervised(work, {"initialize": HANG}, {})


def test_a_plugin_that_was_stopped_cannot_be_started_anew() -> None:
    async def work(host: PluginHost, plugin: Plugin, _programs: FakePrograms) -> None:
        await host.unload("echo")
        assert plugin.state == Shutdown()
        with pytest.raises(LocalProtocolError):
            plugin.renew(plugin.candidate, "reload")

    supervised(work)


def test_reloads_under_load_lose_no_call_without_an_error() -> None:
    async def work(host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        outcomes: list[str] = []

        async def call() -> None:
            try:
                outcomes.append((await plugin.call_tool("say", {}, HERE)).text)
            except PluginCallError as error:
                outcomes.append(type(error).__name__)

        for number in range(300):
            async with asyncio.TaskGroup() as tasks:
                calls = [tasks.create_task(call()) for _ in range(3)]
                tasks.create_task(host.reload(sep("echo")))
                if number % 10 == 0:
                    programs.peer.crash()
            assert all(each.done() for each in calls)
        assert len(outcomes) == 900
        assert plugin.state == Ready()
        assert (plugin.calls.open.count, programs.alive) == (0, 1)

    supervised(work, {"tool/execute": {"content": "x"}})


@pytest.mark.parametrize("point", [HookPoint.TOOL_CALL, HookPoint.INPUT])
def test_a_guard_that_is_being_restarted_is_waited_for_and_others_are_not(
    point: HookPoint,
) -> None:
    async def work(_host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        programs.peer.crash()
        await until_is(plugin, Restarting)
        answer = await plugin.ask_hook(point, {}, HERE)
        assert answer == (Blocks("no") if point.fails_closed else Continues())

    supervised(work, {}, {"hook": {"action": "block", "reason": "no"}})


def test_a_guard_that_failed_goes_on_to_guard() -> None:
    async def work(host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        programs.peer.crash()
        await until_is(plugin, Failed)
        assert isinstance(await plugin.ask_hook(HookPoint.TOOL_CALL, {}, HERE), Unusable)
        assert host.is_hooked(HookPoint.TOOL_CALL)
        assert not host.is_hooked(HookPoint.INPUT)

    give_up = replace(RESTARTS, most_restarts=0)
    settings = HostSettings(supervision=SupervisionOptions(restarts=give_up))
    supervised(work, settings=settings)


def test_a_plugin_that_knows_no_hooks_and_names_none_is_asked_once() -> None:
    unknown = RpcError(ErrorCode.METHOD_NOT_FOUND, "no")
    nameless = {"protocol_version": 1, "registrations": {}}

    async def work(_host: PluginHost, plugin: Plugin, _programs: FakePrograms) -> None:
        assert plugin.may_be_asked(HookPoint.TOOL_CALL)
        assert await plugin.ask_hook(HookPoint.TOOL_CALL, {}, HERE) == Continues()
        assert not plugin.may_be_asked(HookPoint.TOOL_CALL)

    supervised(work, {"initialize": nameless, "hook": unknown})


def test_a_plugin_that_names_a_hook_that_it_does_not_know_is_no_guard_that_passes() -> None:
    unknown = RpcError(ErrorCode.METHOD_NOT_FOUND, "no")

    async def work(_host: PluginHost, plugin: Plugin, _programs: FakePrograms) -> None:
        assert isinstance(await plugin.ask_hook(HookPoint.TOOL_CALL, {}, HERE), Unusable)

    supervised(work, {"hook": unknown})


def test_a_hook_takes_no_longer_than_its_manifest_allows() -> None:
    async def work(_host: PluginHost, plugin: Plugin, _programs: FakePrograms) -> None:
        loop = asyncio.get_running_loop()
        for point, seconds in ((HookPoint.TOOL_CALL, 2.0), (HookPoint.INPUT, 2.0)):
            started = loop.time()
            assert isinstance(await plugin.ask_hook(point, {}, HERE), Unusable)
            assert loop.time() - started == pytest.approx(seconds, abs=0.01)

    candidate = sep("echo", hook_timeout_seconds=2.0)
    supervised(work, {"hook": HANG}, candidate=candidate)


def test_the_operator_has_the_last_word_on_how_long_a_hook_may_take() -> None:
    async def work() -> None:
        kit, loop = HostKit(settings=SETTINGS), asyncio.get_running_loop()
        others = {"open_peer": FakePrograms([{"hook": HANG}]), "hook_seconds_of": {"echo": 0.5}.get}
        async with kit.host(sep("echo", hook_timeout_seconds=2.0), **others) as host:
            await host.find_program("echo").ask_hook(HookPoint.INPUT, {}, HERE)
            assert loop.time() == pytest.approx(0.5, abs=0.01)

    run_on_virtual_clock(work())


def test_events_have_one_context_for_each_party_which_stays_among_the_newest() -> None:
    async def work(_host: PluginHost, plugin: Plugin, _programs: FakePrograms) -> None:
        contexts = {plugin.calls.event_context(HERE)["token"] for _ in range(400)}
        assert len(contexts) == 1
        for _ in range(2000):
            plugin.calls.event_context(ELSEWHERE)
        for occasion in (HERE, ELSEWHERE):
            token = plugin.calls.event_context(occasion)["token"]
            found = plugin.contexts.resolve(token, needs=ContextTier.EVENT)
            assert found == Current(occasion)

    supervised(work)


def test_who_waits_for_a_busy_plugin_is_told_so_in_time() -> None:
    async def work(_host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        programs.peer.answers |= {"command/execute": HANG, "tool/execute": {"content": "x"}}
        plugin.register(plugin.registrations_in({"commands": [{"name": "greet"}]}))
        async with asyncio.TaskGroup() as tasks:
            first = tasks.create_task(plugin.run_command("greet", "", HERE))
            await asyncio.sleep(0)
            answer = await plugin.ask_hook(HookPoint.INPUT, {}, ELSEWHERE)
            assert answer == Unusable("plugin echo: it is busy with somebody else")
            first.cancel()

    capable = replace(sep("echo").manifest.capabilities, ui=True)
    supervised(work, candidate=sep("echo", capabilities=capable))


def test_a_plugin_that_is_spawning_may_have_a_say() -> None:
    async def work(_host: PluginHost, plugin: Plugin, programs: FakePrograms) -> None:
        programs.scripts = [{"initialize": HANG}]
        plugin.renew(plugin.candidate, "reload")
        assert plugin.state == Spawning()
        assert plugin.may_be_asked(HookPoint.TOOL_CALL)

    supervised(work)
