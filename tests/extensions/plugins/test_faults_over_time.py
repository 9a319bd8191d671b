"""What plugins do wrong over minutes and hours, on a virtual clock."""

import asyncio
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from itertools import cycle, pairwise
from typing import Any

import pytest

from extensions.plugins.host import HostSettings, PluginHost
from extensions.plugins.lifecycle import Failed, Ready
from extensions.plugins.supervision import SupervisionOptions
from extensions.process.restart import RestartOptions
from extensions.tools import ToolCall
from tests.fakes.faulty_plugins import outcome
from tests.fakes.plugin_host import SPEAKER, HostKit, sep
from tests.fakes.plugin_peer import HANG, FakePrograms
from tests.fakes.virtual_clock import run_on_virtual_clock
from tests.fakes.waiting import until

RESTARTS = RestartOptions(
    window_seconds=60.0, first_wait_seconds=0.1, longest_wait_seconds=1.0, jitter_share=0.0
)
SETTINGS = HostSettings(supervision=SupervisionOptions(restarts=RESTARTS))


@contextmanager
def jumping_wall_clock() -> Generator[None, None, None]:
    """Have the operator's clock jump by an hour each time that it is looked at."""
    jumps, true_time = cycle((3600.0, -3600.0, 0.0)), time.time
    time.time = lambda: true_time() + next(jumps)
    try:
        yield
    finally:
        time.time = true_time


def test_a_clock_that_jumps_by_an_hour_changes_no_wait_and_no_time_limit() -> None:
    programs = FakePrograms([{"tool/execute": HANG}])

    async def run() -> None:
        loop = asyncio.get_running_loop()
        kit = HostKit(settings=SETTINGS)
        async with kit.host(sep("echo"), open_peer=programs) as host:
            plugin = host.find_program("echo")
            began = loop.time()
            assert "within 120 seconds" in await outcome(plugin, "say")
            assert loop.time() - began == pytest.approx(120, abs=0.1)
            for _ in range(6):
                await until(lambda: isinstance(plugin.state, Ready))
                programs.peer.crash()
                await until(lambda: not isinstance(plugin.state, Ready))
            assert isinstance(plugin.state, Failed)

    with jumping_wall_clock():
        run_on_virtual_clock(run())
    starts = programs.starts_at
    waits = [later - earlier for earlier, later in pairwise(starts[1:])]
    assert waits == pytest.approx([0.2, 0.4, 0.8, 1.0], abs=0.05)


def test_plugins_that_never_shake_hands_hold_up_the_start_for_ten_seconds_all_together() -> None:
    scripts: list[Any] = [{"initialize": HANG}, {"initialize": []}, OSError("no such file")]
    programs = FakePrograms([*scripts, {"initialize": HANG}, {}])

    async def run() -> None:
        plugins = [sep(f"p{number}") for number in range(5)]
        async with HostKit(settings=SETTINGS).host(*plugins, open_peer=programs) as host:
            assert asyncio.get_running_loop().time() == pytest.approx(10.0, abs=0.1)
            states = Counter(type(each.state) for each in host.plugins)
            assert states == {Failed: 4, Ready: 1}
            assert await outcome(host.running()[0], "say") != ""
            await asyncio.sleep(100)
        assert len(programs.starts_at) == 5

    run_on_virtual_clock(run())


def test_plugins_that_are_taken_away_and_brought_back_lose_no_call_without_a_word() -> None:
    programs = FakePrograms([{"tool/execute": {"content": "x"}}])
    said: Counter[str] = Counter()

    async def call_as_models_do(kit: HostKit, is_over: asyncio.Event) -> None:
        call = ToolCall(caller=SPEAKER, arguments={}, tool_use_id="1")
        while not is_over.is_set():
            tool = kit.registry.find(SPEAKER, "ext_echo_say")
            said["not offered" if tool is None else (await tool.handler(call)).text] += 1
            await asyncio.sleep(0)

    async def turn(host: PluginHost, is_over: asyncio.Event) -> None:
        for number in range(200):
            if number % 2:
                await host.unload("echo")
                await host.load([sep("echo")])
            else:
                await host.reload(sep("echo"))
        is_over.set()

    async def run() -> None:
        kit, is_over = HostKit(settings=SETTINGS), asyncio.Event()
        async with kit.host(sep("echo"), open_peer=programs) as host:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(4):
                    tasks.create_task(call_as_models_do(kit, is_over))
                tasks.create_task(turn(host, is_over))
            assert isinstance(host.find("echo").state, Ready)
            assert programs.alive == 1

    run_on_virtual_clock(run())
    assert said["x"] > 0
    assert set(said) <= {
        "x",
        "not offered",
        "plugin `echo` tool `say` failed: plugin not ready: it is being ended",
        "plugin `echo` tool `say` failed: not ready; state = spawning",
        "plugin `echo` tool `say` failed: it was ended or reloaded before it had answered",
    }
