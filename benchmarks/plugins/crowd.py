"""How late the event loop is while many plugins are called."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.plugins.house import empty_host, load_all
from benchmarks.rows import Row, Target
from benchmarks.text.many_jobs import p99
from extensions.hooks import NOWHERE
from extensions.plugins.plugin import Plugin

_PLUGINS = 50
_IN_FLIGHT = 20
_LAG_LIMIT_MS = 50.0
_TICK_SECONDS = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """What was measured."""

    plugins: int
    lags: Sequence[float]
    """How late the loop was at each tick, in seconds."""
    calls_per_second: float

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        name = f"{self.plugins} plugins with {_IN_FLIGHT} calls in flight"
        return [
            Row(
                name=f"{name}: the loop is late, p99",
                value=p99(self.lags) * 1000,
                unit="ms",
                target=Target("≤", _LAG_LIMIT_MS),
                against=f"n = {len(self.lags)} ticks of {_TICK_SECONDS * 1000:g} ms",
            ),
            Row(
                name=f"{name}: round trips",
                value=self.calls_per_second,
                unit="calls/s",
                against="all of them together, which take all processors there are",
            ),
        ]


async def measure(*, seconds: float, plugins: int = _PLUGINS) -> Crowd:
    """Call all plugins for that long, and look how late the loop is."""
    async with empty_host() as host:
        await load_all(host, plugins)
        deadline = time.perf_counter() + seconds
        async with asyncio.TaskGroup() as tasks:
            ticking = tasks.create_task(_ticks(deadline))
            calling = [
                tasks.create_task(_keep_calling(plugin, deadline))
                for plugin in host.running()
                for _ in range(_IN_FLIGHT)
            ]
    count = sum(task.result() for task in calling)
    return Crowd(plugins=plugins, lags=ticking.result(), calls_per_second=count / seconds)


async def _ticks(deadline: float) -> list[float]:
    lags: list[float] = []
    while (now := time.perf_counter()) < deadline:
        await asyncio.sleep(_TICK_SECONDS)
        lags.append(time.perf_counter() - now - _TICK_SECONDS)
    return lags


async def _keep_calling(plugin: Plugin, deadline: float) -> int:
    count = 0
    while time.perf_counter() < deadline:
        await plugin.call_tool("echo", {"text": "x" * 64}, NOWHERE)
        count += 1
    return count
