"""Plugins that end, or should."""

import asyncio
import json
import os
import signal
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from extensions.plugins.host import HostSettings, PluginHost
from extensions.plugins.lifecycle import Failed, Ready, Restarting
from extensions.plugins.plugin import Plugin
from extensions.plugins.supervision import SupervisionOptions
from extensions.process.restart import RestartOptions
from tests.fakes.faulty_plugins import faulty, many, outcome, small, use
from tests.soak.plugins.meters import holdings, is_gone, measured, percentile, seconds_until
from tests.soak.plugins.scene import NEIGHBOUR, Scene, timed

BACK_OFF = RestartOptions(
    most_restarts=5, window_seconds=60.0, first_wait_seconds=0.1, longest_wait_seconds=1.0
)
_AT_ONCE = RestartOptions(
    most_restarts=100_000, first_wait_seconds=0.001, longest_wait_seconds=0.001
)
_WAITS = (0.1, 0.2, 0.4, 0.8, 1.0)
_CYCLES = 50
_LOOPING = 4
_HALF_SECONDS = 60.0


def settings(restarts: RestartOptions) -> HostSettings:
    """Return settings of a host that starts its plugins again like that."""
    return HostSettings(supervision=SupervisionOptions(restarts=restarts))


def is_up(plugin: Plugin, epoch: int) -> bool:
    """Say whether that many programs of a plugin were started, and the last is of use."""
    return plugin.epoch == epoch and isinstance(plugin.state, Ready)


async def crash_loop(scene: Scene) -> None:
    """F2."""
    async with scene.host(faulty("mad"), settings=settings(BACK_OFF)) as host:
        plugin = host.find_program("mad")
        waits = await waits_between_crashes(scene, host, plugin)
        seen = (plugin.lifecycle.epoch, plugin.lifecycle.restarts)
        is_failed = isinstance(plugin.state, Failed)
        scene.must("it is given up at the sixth end", be=is_failed and seen == (6, 5), seen=seen)
        times = [(await timed(plugin, "say"))[1] for _ in range(1000)]
        later_ms = 1000 * percentile(times, 0.99)
        scene.must_stay_below("later calls fail within 1 ms (p99)", 1.0, later_ms, "ms")
    scene.tell(f"waits {_listed(waits)} s; later calls fail in {later_ms:.3f} ms (p99)")


async def waits_between_crashes(scene: Scene, host: PluginHost, plugin: Plugin) -> list[float]:
    """Have a plugin crash until it is given up, and look how long it was waited each time."""
    changes: list[tuple[float, int, bool]] = []

    def note() -> None:
        is_waiting = isinstance(plugin.state, Restarting)
        changes.append((time.monotonic(), plugin.epoch, is_waiting))

    host.watch(note)
    for epoch in range(1, 7):
        await seconds_until(lambda wanted=epoch: is_up(plugin, wanted), timeout_seconds=10)  # type: ignore[misc]
        await outcome(plugin, "crash")
    await seconds_until(lambda: isinstance(plugin.state, Failed), timeout_seconds=10)
    waits = [
        later - earlier
        for (earlier, before, was_waiting), (later, after, _) in pairwise(changes)
        if was_waiting and after == before + 1
    ]
    scene.must("it is started again five times", be=len(waits) == len(_WAITS), seen=waits)
    for wait, wanted in zip(waits, _WAITS, strict=False):
        is_in_time = 0.8 * wanted - 0.001 <= wait
        scene.must("no wait is too short", be=is_in_time, seen=f"{wait:.3f} s, not {wanted} s")
        limit = 1.2 * wanted + 0.02
        scene.must_stay_below("no wait is too long (0.1 s, twice as long, ±20%)", limit, wait, "s")
    return waits


def _listed(seconds: list[float]) -> str:
    return ", ".join(f"{each:.2f}" for each in seconds)


async def crashes_without_end(scene: Scene) -> None:
    """F3."""
    names = [f"mad-{number}" for number in range(_LOOPING)]
    async with scene.host(*map(small, names), settings=settings(_AT_ONCE)) as host:
        await _crash(host, names, range(1, 4))
        scene.forget()
        before, began = holdings(), time.monotonic()
        await _crash(host, names, range(4, 4 + _CYCLES))
        seconds = time.monotonic() - began
        await asyncio.sleep(0.5)
        scene.forget()
        after = holdings()
    crashes = _CYCLES * _LOOPING
    scene.must_not_grow(before, after)
    scene.tell(
        f"{crashes} crashes, {60 * crashes / seconds:.0f} a minute; before: {before};"
        f" after: {after}"
    )


async def _crash(host: PluginHost, names: list[str], epochs: range) -> None:
    async def crash(plugin: Plugin) -> None:
        for epoch in epochs:
            await outcome(plugin, "crash")
            await seconds_until(lambda wanted=epoch + 1: is_up(plugin, wanted), timeout_seconds=20)  # type: ignore[misc]
            assert is_up(plugin, epoch + 1), plugin.lifecycle

    async with asyncio.TaskGroup() as tasks:
        for name in names:
            tasks.create_task(crash(host.find_program(name)))


async def crash_with_calls(scene: Scene) -> None:
    """F4."""
    slowest, reasons = 0.0, set[str]()
    async with scene.host(faulty("mad"), settings=settings(_AT_ONCE)) as host:
        plugin = host.find_program("mad")
        for epoch in range(1, 11):
            ended: list[float] = []
            async with asyncio.TaskGroup() as tasks:
                calls = [tasks.create_task(_note_end(plugin, ended)) for _ in range(100)]
                await seconds_until(lambda: plugin.calls.open.count == 100, timeout_seconds=5)
                assert plugin.pid is not None
                began = time.monotonic()
                os.kill(plugin.pid, signal.SIGKILL)
            reasons |= {call.result() for call in calls}
            scene.must("each of 100 open calls ends once", be=len(ended) == 100, seen=len(ended))
            slowest = max(slowest, max(ended) - began)
            await seconds_until(lambda wanted=epoch + 1: is_up(plugin, wanted), timeout_seconds=20)  # type: ignore[misc]
    wanted = {"tool `hang` failed: it was ended by SIGKILL"}
    scene.must("all of them for the same reason", be=reasons == wanted, seen=reasons)
    scene.must_stay_below("all within 50 ms of the kill", 50, 1000 * slowest, "ms")
    scene.tell(
        f"10 times 100 calls; the last failed {1000 * slowest:.1f} ms after the kill at most"
    )


async def _note_end(plugin: Plugin, ended: list[float]) -> str:
    result = await outcome(plugin, "hang")
    ended.append(time.monotonic())
    return result


async def half_a_line(scene: Scene) -> None:
    """F13."""
    seconds = replace(settings(_AT_ONCE), sep_tool_seconds=1.0)
    async with scene.host(faulty("mad"), faulty("slow"), settings=seconds) as host:
        mad, slow = host.find_program("mad"), host.find_program("slow")
        said = await outcome(mad, "half")
        scene.must(
            "half a line and a crash is no answer",
            be=said == "tool `half` failed: it exited with code 6",
            seen=said,
        )
        await seconds_until(lambda: is_up(mad, 2), timeout_seconds=10)
        before = holdings()
        said = await outcome(slow, "half", seconds=_HALF_SECONDS)
        is_late = said == "tool `half` failed: tool/execute was not answered within 1 seconds"
        scene.must(
            "a line that stays half is waited for no longer than usual", be=is_late, seen=said
        )
        async with measured(host.find_program(NEIGHBOUR)) as meter:
            await asyncio.sleep(_HALF_SECONDS)
        said = await outcome(slow, "say", phrase="back")
        scene.must("when it comes at last, it is dropped, and the next is fine", be=said == "back")
        counts = host.report()[-1]["counts"]
        is_dropped = (counts["unmatched"], counts["garbage"], counts["open_calls"]) == (1, 0, 0)
        scene.must("it is counted once", be=is_dropped, seen=counts)
        after = holdings()
        is_same = (after.tasks, after.files) == (before.tasks, before.files)
        scene.must("no task and no file is left", be=is_same, seen=f"{before} → {after}")
    scene.tell(f"a line of which half came {_HALF_SECONDS:g} s later; {meter}")


async def closed_pipes(scene: Scene) -> None:
    """F14."""
    times: list[str] = []
    async with scene.host(faulty("mad"), faulty("leaver"), settings=settings(_AT_ONCE)) as host:
        plugin = host.find_program("mad")
        for number, name in ((1, "standard output"), (0, "standard input")):
            pid, epoch = plugin.pid, plugin.epoch
            assert pid is not None
            began = time.monotonic()
            said = await outcome(plugin, "close", number=number)
            await seconds_until(lambda wanted=pid: is_gone(wanted), timeout_seconds=5)  # type: ignore[misc]
            seconds = time.monotonic() - began
            reason = f"tool `close` failed: it closed its {name}"
            scene.must("one that closes a pipe counts as dead", be=said == reason, seen=said)
            scene.must_stay_below("it is ended within 1 s", 1.0, seconds, "s")
            await seconds_until(lambda wanted=epoch + 1: is_up(plugin, wanted), timeout_seconds=10)  # type: ignore[misc]
            times.append(f"{name} {seconds:.2f} s")
        await use(plugin, "close", number=2)
        said = await outcome(plugin, "say", phrase="still here")
        scene.must("without its standard error it works on", be=said == "still here", seen=said)
        times.append(await _daemon(scene, host))
    scene.tell("ended after: " + ", ".join(times))


async def _daemon(scene: Scene, host: PluginHost) -> str:
    file, leaver = scene.folder / "daemon", host.find_program("leaver")
    began = time.monotonic()
    said = await outcome(leaver, "daemon", file=str(file))
    seconds = time.monotonic() - began
    reason = "tool `daemon` failed: it exited with code 0"
    scene.must("one that leaves its pipes to a daemon counts as dead", be=said == reason, seen=said)
    scene.must_stay_below("its calls end within 1 s", 1.0, seconds, "s")
    await seconds_until(lambda: _pid_in(file) is not None, timeout_seconds=5)
    pid = _pid_in(file)
    left = await seconds_until(lambda: pid is not None and is_gone(pid), timeout_seconds=5)
    scene.must("the daemon is killed", be=left < float("inf"), seen=f"process {pid} lives")
    return f"a daemon {left + seconds:.2f} s"


def _pid_in(file: Path) -> int | None:
    text = file.read_text() if file.exists() else ""
    return int(text) if text.isdigit() else None


async def stubborn_family(scene: Scene) -> None:
    """F15."""
    async with scene.host(faulty("mad", "stubborn")) as host:
        plugin = host.find_program("mad")
        assert plugin.pid is not None
        pids = [plugin.pid, *json.loads(await use(plugin, "family"))]
        began = time.monotonic()
        await host.unload("mad")
        await seconds_until(lambda: all(map(is_gone, pids)), timeout_seconds=2)
        seconds = time.monotonic() - began
        left = [pid for pid in pids if not is_gone(pid)]
        said = (await many(host.find_program(NEIGHBOUR), "say", 10, phrase="well"))[0]
    scene.must("none of eleven processes is left", be=not left, seen=left)
    scene.must_stay_below("they are gone within the grace (5 s) and 1 s", 6.0, seconds, "s")
    scene.must("others are answered", be=said == "well", seen=said)
    scene.tell(f"{len(pids)} processes gone after {seconds:.2f} s, with a grace of 5 s")


async def stopped_by_a_signal(scene: Scene) -> None:
    """F16."""
    async with scene.host(faulty("mad")) as host:
        plugin = host.find_program("mad")
        pid = plugin.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        async with measured(host.find_program(NEIGHBOUR)) as meter:
            seconds = await seconds_until(lambda: is_up(plugin, 2), timeout_seconds=120)
        said = await outcome(plugin, "say", phrase="back")
        scene.must("it is killed and started again", be=said == "back", seen=said)
        scene.must("it does not live on", be=is_gone(pid))
        # 60 s of silence, two pings of 10 s, and the first wait of 1 s ±20 %.
        scene.must_stay_below("within 83 s", 83.0, seconds, "s")
        reasons = [text for _, name, text in scene.audit.notes if name == "mad"]
        is_named = "it does not answer any more" in reasons
        scene.must("it is in the audit log", be=is_named, seen=reasons)
    scene.tell(f"back after {seconds:.1f} s (60 s of silence, two pings of 10 s); {meter}")
