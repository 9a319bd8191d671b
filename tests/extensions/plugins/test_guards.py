"""No tool gets past a plugin that guards it while the plugin is not what it should be."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from extensions.errors import PluginCallError
from extensions.hooks import Blocked, HookPoint, Pass, Ruling
from extensions.plugins.host import HostSettings, PluginHost, open_plugin_host
from extensions.plugins.lifecycle import Failed
from extensions.plugins.manifest import Candidate, McpServerSpec
from extensions.plugins.supervision import SupervisionOptions
from extensions.process.restart import RestartOptions
from extensions.rpc.errors import ErrorCode, PeerGoneError, RpcError
from extensions.rpc.peer import Params
from tests.fakes.plugin_host import ALL, HERE, HostKit, sep, stdio
from tests.fakes.plugin_peer import GREETING, HANG, FakePrograms
from tests.fakes.virtual_clock import run_on_virtual_clock
from tests.fakes.waiting import until

T = TypeVar("T")
CALL = {"tool": "Bash", "tool_name": "Bash", "arguments": {}}
MESSAGE = {"text": "x", "source": "text"}
NO = {"action": "block", "reason": "no"}
CLOSED = Blocked("tool_call hook failed (fail-closed)", "gate")
SILENT = {**GREETING, "registrations": {}}
"""The greeting of a plugin that does not say which hooks it has."""
QUICK = HostSettings(
    supervision=SupervisionOptions(
        restarts=RestartOptions(first_wait_seconds=0.1, longest_wait_seconds=0.1)
    )
)


def guarded(
    work: Callable[[PluginHost, FakePrograms], Coroutine[Any, Any, T]],
    *scripts: Any,
    candidate: Candidate | None = None,
) -> T:
    """Run `work` with one plugin."""
    programs = FakePrograms(list(scripts))

    async def run() -> T:
        gate = candidate or sep("gate")
        async with HostKit(settings=QUICK).host(gate, open_peer=programs) as host:
            return await work(host, programs)

    return run_on_virtual_clock(run())


async def asked(host: PluginHost, _programs: FakePrograms) -> Ruling:
    return await host.fire(HookPoint.TOOL_CALL, CALL, HERE)


def knows_tool_calls_alone(params: Params) -> Any:
    if params["hook"] == "tool_call":
        return NO
    return RpcError(ErrorCode.METHOD_NOT_FOUND, "no such hook")


def test_a_guard_that_knows_no_other_hook_is_asked_at_its_own() -> None:
    async def work(host: PluginHost, _programs: FakePrograms) -> tuple[Ruling, Ruling]:
        said = await host.fire(HookPoint.INPUT, MESSAGE, HERE)
        assert not host.is_hooked(HookPoint.INPUT)
        return said, await host.fire(HookPoint.TOOL_CALL, CALL, HERE)

    script = {"initialize": SILENT, "hook": knows_tool_calls_alone}
    assert guarded(work, script) == (Pass(), Blocked("no", "gate"))


def test_a_guard_that_never_said_its_hooks_still_guards_once_it_broke_over_one() -> None:
    async def work(host: PluginHost, programs: FakePrograms) -> list[Ruling]:
        plugin = host.find_program("gate")
        rulings = []
        while not isinstance(plugin.state, Failed):
            rulings.append(await host.fire(HookPoint.TOOL_CALL, CALL, HERE))
            programs.peer.crash()
            await until(lambda: plugin.pid is None, timeout_seconds=1000)
        return [*rulings, await host.fire(HookPoint.TOOL_CALL, CALL, HERE)]

    script = {"initialize": SILENT, "hook": PeerGoneError("it exited with code 5")}
    assert set(guarded(work, script)) == {CLOSED}


def test_a_guard_whose_hooks_make_no_sense_is_asked_at_every_point() -> None:
    greeting = {**GREETING, "registrations": {"hooks": [{"name": "tool_call"}]}}
    assert guarded(asked, {"initialize": greeting, "hook": NO}) == Blocked("no", "gate")


def test_a_guard_that_declares_itself_guards_even_if_it_never_comes_up() -> None:
    declared = replace(ALL, hooks=frozenset({"before_tool_call"}))
    candidate = stdio("gate", capabilities=declared)
    assert guarded(asked, {"initialize": [1]}, candidate=candidate) == CLOSED


def test_a_guard_that_was_never_let_in_has_no_say() -> None:
    declared = replace(ALL, hooks=frozenset({"before_tool_call"}))

    async def refused(_candidate: Candidate) -> str:
        return "nobody has trusted it"

    async def run() -> Ruling:
        gate = stdio("gate", capabilities=declared)
        async with HostKit().host(gate, refusal_of=refused) as host:
            return await host.fire(HookPoint.TOOL_CALL, CALL, HERE)

    assert run_on_virtual_clock(run()) == Pass()


def test_no_tool_gets_through_while_a_guard_becomes_another_kind_of_plugin() -> None:
    async def work(host: PluginHost, _programs: FakePrograms) -> list[Ruling]:
        servers = {"files": McpServerSpec(command="files")}
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(reloaded(host, sep("gate", mcp_servers=servers)))
            rulings = []
            for _ in range(20):
                await asyncio.sleep(0.5)
                rulings.append(await host.fire(HookPoint.TOOL_CALL, CALL, HERE))
        return rulings

    script = {"hook": NO, "shutdown": HANG}
    assert set(guarded(work, script)) == {Blocked("no", "gate")}


async def reloaded(host: PluginHost, candidate: Candidate) -> None:
    try:
        await host.reload(candidate)
    except PluginCallError:
        assert isinstance(host.find(candidate.id).state, Failed)


def test_no_tool_is_used_as_long_as_nobody_knows_which_plugins_there_are() -> None:
    async def run() -> list[Ruling]:
        async with open_plugin_host(HostKit().parts(open_peer=FakePrograms())) as host:
            rulings = [
                await host.fire(point, value, HERE)
                for point, value in ((HookPoint.TOOL_CALL, CALL), (HookPoint.INPUT, MESSAGE))
            ]
            await host.load([])
            return [*rulings, await host.fire(HookPoint.TOOL_CALL, CALL, HERE)]

    closed, *others = run_on_virtual_clock(run())
    assert isinstance(closed, Blocked)
    assert closed.reason == "it is not known yet which plugins there are"
    assert others == [Pass(), Pass()]


CHANGED = "its files have changed since it was looked at: `papercup plugin trust gate`"
MISSED = Blocked(
    f"it guards this and may not run: {CHANGED}; to do without it: `papercup plugin untrust gate`",
    "gate",
)


async def refused(_candidate: Candidate) -> str:
    return CHANGED


def missed(candidate: Candidate, point: HookPoint = HookPoint.TOOL_CALL) -> Ruling:
    """Return what is ruled where a plugin is not let in that was until it changed."""

    async def run() -> Ruling:
        kit = HostKit()
        async with kit.host(candidate, refusal_of=refused, is_missed=lambda _: True) as host:
            return await host.fire(point, CALL if point is HookPoint.TOOL_CALL else MESSAGE, HERE)

    return run_on_virtual_clock(run())


def test_what_a_guard_forbids_stays_forbidden_once_it_may_not_run_any_more() -> None:
    declared = replace(ALL, hooks=frozenset({"before_tool_call"}))

    assert missed(stdio("gate", capabilities=declared)) == MISSED
    assert missed(sep("gate")) == MISSED
    assert missed(sep("gate"), HookPoint.USER_BASH) == MISSED


def test_what_says_that_it_guards_nothing_is_not_missed() -> None:
    declared = replace(ALL, hooks=frozenset({"input"}))

    assert missed(sep("gate", capabilities=declared)) == Pass()
    assert missed(sep("gate"), HookPoint.INPUT) == Pass()


def test_a_guard_that_changed_while_it_ran_is_missed_until_it_is_unloaded(
    caplog: pytest.LogCaptureFixture,
) -> None:
    has_changed: list[bool] = []

    async def refusal_of(_candidate: Candidate) -> str | None:
        return CHANGED if has_changed else None

    async def run() -> list[Ruling | list[str]]:
        kit, programs = HostKit(settings=QUICK), FakePrograms([{"hook": NO}])
        parts = kit.parts(
            open_peer=programs, refusal_of=refusal_of, is_missed=lambda _: bool(has_changed)
        )
        async with open_plugin_host(parts) as host:
            await host.load([sep("gate")])
            told: list[Ruling | list[str]] = [await asked(host, programs)]
            has_changed.append(True)
            await reloaded(host, sep("gate"))
            told += [await asked(host, programs), host.report()[0]["closes"]]
            await host.unload("gate")
            return [*told, await asked(host, programs)]

    # Its program said which hooks it has.
    assert run_on_virtual_clock(run()) == [Blocked("no", "gate"), MISSED, ["tool_call"], Pass()]
    assert "plugin gate guards: as long as it is down, no tool is used" in caplog.messages


def test_a_guard_that_does_not_come_up_as_another_kind_of_plugin_still_guards() -> None:
    async def work(host: PluginHost, programs: FakePrograms) -> Ruling:
        await reloaded(host, sep("gate", mcp_servers={"files": McpServerSpec(command="files")}))
        return await asked(host, programs)

    assert guarded(work, {"hook": NO}, OSError("no such program")) == CLOSED


def test_a_call_that_waits_for_a_guard_is_not_let_through_as_it_is_exchanged() -> None:
    async def work(host: PluginHost, programs: FakePrograms) -> Ruling:
        programs.peer.crash()
        await until(lambda: host.find_program("gate").pid is None, timeout_seconds=1000)
        async with asyncio.TaskGroup() as tasks:
            waiting = tasks.create_task(asked(host, programs))
            await asyncio.sleep(0)
            servers = {"files": McpServerSpec(command="files")}
            tasks.create_task(reloaded(host, sep("gate", mcp_servers=servers)))
        return waiting.result()

    assert guarded(work, {"hook": NO}) == Blocked("no", "gate")
