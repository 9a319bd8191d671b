"""Plugins that take more than they may."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from extensions.plugins.host import HostSettings, PluginHost
from extensions.process.limits import ProcessLimits
from tests.fakes.faulty_plugins import faulty, outcome, use
from tests.soak.plugins.crashing import is_up
from tests.soak.plugins.meters import MEBIBYTE, holdings, measured, seconds_until
from tests.soak.plugins.scene import NEIGHBOUR, Scene

_FILE_BYTES = 100 * MEBIBYTE
_CPU_SECONDS = 3
_USUAL = HostSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Greed:
    tool: str
    arguments: dict[str, Any]
    reason: str
    limits: ProcessLimits = _USUAL.limits


async def greedy(scene: Scene) -> None:
    """F17."""
    file, told = scene.folder / "large", list[str]()
    for greed in _greeds(file):
        settings = replace(_USUAL, limits=greed.limits)
        async with scene.host(faulty("mad"), settings=settings) as host:
            told.append(await _try(scene, host, greed))
            is_gone = await _are_left(2)
            scene.must("no process is left over", be=is_gone, seen=holdings())
    size = file_size(file)
    scene.must("no file is larger than it may be", be=0 < size <= _FILE_BYTES, seen=size)
    scene.tell("; ".join(told))


def _greeds(file: Path) -> list[_Greed]:
    return [
        _Greed(
            tool="eat",
            arguments={"mebibytes": 4096},
            reason=f"it took more than {(_USUAL.memory_bytes or 0) // MEBIBYTE} MiB of memory",
        ),
        _Greed(
            tool="fork",
            arguments={"times": 1000},
            reason=f"it had more than {_USUAL.processes} processes",
        ),
        _Greed(
            tool="compute",
            arguments={},
            reason="it took more processor time than it may",
            limits=replace(_USUAL.limits, cpu_seconds=_CPU_SECONDS),
        ),
        _Greed(
            tool="fill",
            arguments={"file": str(file), "bytes": 10 * _FILE_BYTES},
            reason="it wrote a larger file than it may",
            limits=replace(_USUAL.limits, file_bytes=_FILE_BYTES),
        ),
    ]


def file_size(path: Path) -> int:
    """Return how large a file is; 0 if there is none."""
    return path.stat().st_size if path.exists() else 0


async def _try(scene: Scene, host: PluginHost, greed: _Greed) -> str:
    plugin, began = host.find_program("mad"), time.monotonic()
    async with measured(host.find_program(NEIGHBOUR)) as meter:
        said = await outcome(plugin, greed.tool, **greed.arguments)
        seconds = time.monotonic() - began
    wanted = f"tool `{greed.tool}` failed: {greed.reason}"
    scene.must("the limit that was hit is told by name", be=said == wanted, seen=said)
    await seconds_until(lambda: is_up(plugin, 2), timeout_seconds=10)
    logged = scene.records.lines(holding=f"plugin mad: {greed.reason}")
    scene.must("it is in the log", be=len(logged) == 1, seen=logged)
    scene.must("no call of others fails", be=not meter.failed, seen=meter.failed[:3])
    answer = await use(host.find_program(NEIGHBOUR), "say", phrase="well")
    scene.must("others are answered", be=answer == "well", seen=answer)
    back = await outcome(plugin, "say", phrase="back")
    scene.must("it is started again", be=back == "back", seen=back)
    return f"{greed.reason}: after {seconds:.1f} s, neighbour p99 {meter.p99_ms:.1f} ms"


async def _are_left(wanted: int) -> bool:
    seconds = await seconds_until(lambda: holdings().children == wanted, timeout_seconds=5)
    return seconds < float("inf")
