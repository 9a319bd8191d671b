"""What plugins do wrong, with real programs; none of it reaches anybody else."""

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from extensions.errors import PluginCallError
from extensions.hooks import Blocked, HookPoint, Pass
from extensions.plugins.host import HostSettings
from extensions.plugins.lifecycle import Failed, Ready, Restarting
from extensions.plugins.manifest import Candidate
from extensions.plugins.plugin import Plugin
from extensions.plugins.supervision import SupervisionOptions
from extensions.process.restart import RestartOptions
from tests.fakes.plugin_host import HERE, HostKit, sep, stdio
from tests.fakes.waiting import until

RESTARTS = RestartOptions(first_wait_seconds=0.01, longest_wait_seconds=0.01, most_restarts=50)
QUICK = HostSettings(
    supervision=SupervisionOptions(restarts=RESTARTS),
    sep_grace_seconds=0.3,
    sep_tool_seconds=20.0,
)


async def outcome(plugin: Plugin, tool: str) -> str:
    try:
        return (await plugin.call_tool(tool, {"phrase": "x"}, HERE)).text
    except PluginCallError as error:
        return error.reason


@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        (
            sep("bad", "exit-early"),
            "child exited before handshake completed: it exited with code 3",
        ),
        (sep("bad", "bad-handshake"), "invalid handshake payload: it is not an object"),
        (sep("bad", "version=0"), "protocol version 0 is not spoken any more"),
    ],
)
async def test_a_handshake_that_comes_to_nothing_leaves_the_others_alone(
    candidate: Candidate, reason: str
) -> None:
    kit = HostKit(settings=QUICK)
    async with kit.host(candidate, stdio("sums")) as host:
        assert host.find("bad").state == Failed(reason)
        assert host.find("bad").lifecycle.restarts == 0
        assert host.find("sums").state == Ready()


async def test_a_plugin_that_dies_in_a_restart_is_tried_again(tmp_path: Path) -> None:
    kit = HostKit(settings=QUICK)
    mark = tmp_path / "mark"
    mark.touch()
    async with kit.host(sep("echo", f"crash-once={mark}")) as host:
        mark.unlink()
        plugin = host.find_program("echo")
        await outcome(plugin, "crash")
        await until(lambda: isinstance(plugin.state, Ready) and plugin.epoch == 3)
        assert await outcome(plugin, "say") == "x"


async def test_every_open_call_fails_once_and_alike_when_a_plugin_dies() -> None:
    kit = HostKit(settings=QUICK)
    async with kit.host(sep("echo")) as host, asyncio.TaskGroup() as tasks:
        plugin = host.find_program("echo")
        calls = [tasks.create_task(outcome(plugin, "hang")) for _ in range(100)]
        await until(lambda: plugin.calls.open.count == 100)
        calls.append(tasks.create_task(outcome(plugin, "crash")))
        await until(lambda: plugin.epoch == 2 and isinstance(plugin.state, Ready))
        assert {call.result() for call in calls} == {
            "tool `hang` failed: it exited with code 5",
            "tool `crash` failed: it exited with code 5",
        }
        assert host.report()[0]["breaker"]["state"] == "closed"


async def test_a_crash_loop_leaves_nothing_behind() -> None:
    kit = HostKit(settings=QUICK)
    process = psutil.Process()
    async with kit.host(sep("echo")) as host:
        plugin = host.find_program("echo")
        before = process.num_fds()
        for epoch in range(1, 13):
            await outcome(plugin, "crash")
            await until(lambda wanted=epoch + 1: _is_ready(plugin, wanted))  # type: ignore[misc]
        assert process.num_fds() <= before + 2
        assert len(process.children()) == 1


def _is_ready(plugin: Plugin, epoch: int) -> bool:
    return plugin.epoch == epoch and isinstance(plugin.state, Ready)


async def test_a_plugin_that_closes_its_output_counts_as_dead() -> None:
    kit = HostKit(settings=QUICK)
    async with kit.host(sep("echo", "closes-stdout")) as host:
        plugin = host.find_program("echo")
        pid = plugin.pid
        assert pid is not None
        await until(lambda: plugin.epoch == 2)
        assert not psutil.pid_exists(pid)


async def test_a_plugin_that_hangs_is_killed_and_started_again() -> None:
    watched = SupervisionOptions(restarts=RESTARTS, silence_seconds=0.05)
    kit = HostKit(settings=replace(QUICK, supervision=watched, ping_seconds=0.2))
    async with kit.host(sep("echo")) as host:
        plugin = host.find_program("echo")
        assert plugin.pid is not None
        os.kill(plugin.pid, signal.SIGSTOP)
        await until(lambda: plugin.epoch == 2 and isinstance(plugin.state, Ready))
        assert await outcome(plugin, "say") == "x"


async def test_a_plugin_that_does_not_want_to_end_leaves_no_process() -> None:
    kit = HostKit(settings=QUICK)
    # A number that no other sleep has, so that its children are known.
    seconds = f"61.{os.getpid()}"
    async with kit.host(sep("echo", f"unkillable={seconds}")) as host:
        assert host.find("echo").state == Ready()
        assert len(_sleeping(seconds)) == 10

    assert _sleeping(seconds) == []


def _sleeping(seconds: str) -> list[int]:
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if (process.info["cmdline"] or [])[:2] == ["sleep", seconds]
    ]


async def test_many_plugins_start_together_and_answer_many_calls_at_once() -> None:
    kit = HostKit(settings=QUICK)
    plugins = [sep(f"p{number}") for number in range(20)]
    async with kit.host(*plugins) as host, asyncio.TaskGroup() as tasks:
        assert {type(each.state) for each in host.plugins} == {Ready}
        calls = [
            tasks.create_task(outcome(plugin, "say"))
            for plugin in host.running()
            for _ in range(50)
        ]
    assert [call.result() for call in calls] == ["x"] * 1000


async def test_a_host_that_is_closed_with_calls_open_answers_each_of_them() -> None:
    kit = HostKit(settings=QUICK)
    async with asyncio.TaskGroup() as tasks, kit.host(sep("echo", "stays")) as host:
        plugin = host.find_program("echo")
        calls = [tasks.create_task(outcome(plugin, "hang")) for _ in range(100)]
        await until(lambda: plugin.calls.open.count == 100)
    assert {call.result() for call in calls} == {
        "tool `hang` failed: it was ended or reloaded before it had answered"
    }


@pytest.mark.parametrize("how", ["error", "unknown", "explode"])
async def test_a_guard_that_breaks_lets_no_tool_through(how: str) -> None:
    kit = HostKit(settings=QUICK)
    value = {"tool": "Bash", "tool_name": "Bash", "arguments": {}}
    async with kit.host(sep("gate", f"hook={how}")) as host:
        stopped = await host.fire(HookPoint.TOOL_CALL, value, HERE)
        passed = await host.fire(HookPoint.INPUT, {"text": "x", "source": "text"}, HERE)

    assert stopped == Blocked("tool_call hook failed (fail-closed)", "gate")
    assert passed == Pass()


async def test_a_guard_that_is_killed_while_it_is_asked_lets_no_tool_through() -> None:
    kit = HostKit(settings=QUICK)
    value = {"tool": "Bash", "tool_name": "Bash", "arguments": {}}
    async with kit.host(sep("gate", "hook=hang")) as host, asyncio.TaskGroup() as tasks:
        plugin = host.find_program("gate")
        asked = tasks.create_task(host.fire(HookPoint.TOOL_CALL, value, HERE))
        await until(lambda: plugin.calls.open.count == 1)
        assert plugin.pid is not None
        os.kill(plugin.pid, signal.SIGKILL)

    assert asked.result() == Blocked("tool_call hook failed (fail-closed)", "gate")


async def test_reloads_under_load_leave_one_program() -> None:
    kit = HostKit(settings=QUICK)
    async with kit.host(sep("echo")) as host:
        plugin = host.find_program("echo")
        said: list[str] = []
        async with asyncio.TaskGroup() as tasks:
            for _ in range(10):
                calls = [tasks.create_task(outcome(plugin, "say")) for _ in range(5)]
                await host.reload(sep("echo"))
                said += [await call for call in calls]
        assert len(said) == 50
        assert await outcome(plugin, "say") == "x"
        assert len(psutil.Process().children()) == 1
        assert not isinstance(plugin.state, Restarting)
