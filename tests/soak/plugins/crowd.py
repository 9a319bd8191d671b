"""Many calls of many plugins at once."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence

from extensions.plugins.plugin import Plugin
from tests.fakes.faulty_plugins import outcome, small
from tests.soak.plugins.meters import Meter, holdings, measured
from tests.soak.plugins.scene import NEIGHBOUR, Scene

_PLUGINS = 50
_EACH = 20
_SECONDS = 6.0
_BURST = 1000


async def crowd(scene: Scene) -> None:
    """F18."""
    said: Counter[str] = Counter()
    async with scene.host(*(small(f"p{number}") for number in range(_PLUGINS))) as host:
        plugins = [each for each in host.running() if each.id != NEIGHBOUR]
        await _rounds(plugins, 1, said)
        async with measured() as rounds:
            began, count = time.monotonic(), 0
            while time.monotonic() < began + _SECONDS:
                await _rounds(plugins, _EACH, said)
                count += 1
        before = holdings()
        async with measured() as steady:
            answers = await _always_open(plugins, said)
        after = holdings()
        async with measured() as burst, asyncio.TaskGroup() as tasks:
            for plugin in plugins:
                tasks.create_task(_rounds([plugin], _BURST, said))
                await asyncio.sleep(0)
    scene.must("all calls are answered", be=set(said) == {"x"}, seen=said)
    check = "the loop is late by less than 50 ms (p99) of its own work"
    scene.must_stay_below(check, 50, steady.work_p99_ms, "ms")
    grown = after.objects - before.objects
    scene.must("nothing is kept of calls that were answered", be=grown < answers / 100, seen=grown)
    scene.tell(
        f"{_PLUGINS * _EACH} calls over {_PLUGINS} plugins always open:"
        f" {answers / steady.seconds:.0f} answers a second,"
        f" {1e6 * steady.cpu_seconds / answers:.0f} µs of work for each, {_told(steady)};"
        f" before: {before}; after: {after}"
    )
    scene.tell(
        f"{count} times as many made at once: {1000 * rounds.seconds / count:.0f} ms a time,"
        f" {_told(rounds)}"
    )
    scene.tell(
        f"{_PLUGINS * _BURST} calls at once: answered after {burst.seconds:.2f} s, {_told(burst)}"
    )


def _told(meter: Meter) -> str:
    share = meter.cpu_seconds / meter.seconds
    return (
        f"loop late by {meter.lag_p99_ms:.0f} ms (p99), {meter.work_p99_ms:.0f} ms of them its own"
        f" work, with {share:.0%} of a core"
    )


async def _rounds(plugins: Sequence[Plugin], each: int, said: Counter[str]) -> None:
    """Have each plugin called so many times at once."""
    async with asyncio.TaskGroup() as tasks:
        calls = [
            tasks.create_task(outcome(plugin, "say", phrase="x"))
            for plugin in plugins
            for _ in range(each)
        ]
    said.update(call.result() for call in calls)


async def _always_open(plugins: Sequence[Plugin], said: Counter[str]) -> int:
    """Have each plugin called anew as soon as it has answered; return how often it has."""
    before, until = said.total(), time.monotonic() + _SECONDS

    async def keep_calling(plugin: Plugin) -> None:
        while time.monotonic() < until:
            said[await outcome(plugin, "say", phrase="x")] += 1

    async with asyncio.TaskGroup() as tasks:
        for plugin in plugins:
            for _ in range(_EACH):
                tasks.create_task(keep_calling(plugin))
    return said.total() - before
