"""What is measured of a host while plugins misbehave: its loop, its memory, and a neighbour."""

import asyncio
import gc
import os
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from extensions.errors import PluginCallError
from extensions.plugins.plugin import Plugin
from tests.fakes.plugin_host import HERE

MEBIBYTE = 1 << 20
_TICK_SECONDS = 0.005
_BETWEEN_CALLS_SECONDS = 0.001
_PAGE_BYTES = os.sysconf("SC_PAGESIZE")


def percentile(values: Sequence[float], share: float) -> float:
    """Return what that share of the values does not exceed; 0 for none."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))] if ranked else 0.0


def rss_bytes() -> int:
    """Return how much memory this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES


@dataclass
class Meter:
    """What was measured while a block lasted."""

    calls: list[float] = field(default_factory=list[float])
    """How long each call of the neighbour took, in seconds."""
    failed: list[str] = field(default_factory=list[str])
    """Why calls of the neighbour came to nothing."""
    lags: list[float] = field(default_factory=list[float])
    """By how much the loop was late, in seconds."""
    works: list[float] = field(default_factory=list[float])
    """How long it worked itself until then, in seconds of processor time: what others that use the
    machine take from it is not in there."""
    rss_before: int = 0
    rss_most: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def p99_ms(self) -> float:
        """Of the neighbour's calls."""
        return 1000 * percentile(self.calls, 0.99)

    @property
    def lag_p99_ms(self) -> float:
        """Of the loop."""
        return 1000 * percentile(self.lags, 0.99)

    @property
    def work_p99_ms(self) -> float:
        """Of the loop."""
        return 1000 * percentile(self.works, 0.99)

    @property
    def lag_most_ms(self) -> float:
        """Of the loop."""
        return 1000 * max(self.lags, default=0.0)

    @property
    def grown_mib(self) -> float:
        """By how much the memory grew at most."""
        return max(0, self.rss_most - self.rss_before) / MEBIBYTE

    def __str__(self) -> str:
        share = self.cpu_seconds / self.seconds if self.seconds else 0.0
        return (
            f"neighbour p99 {self.p99_ms:.1f} ms of {len(self.calls)} calls,"
            f" loop late by {self.lag_p99_ms:.1f} ms (p99), {self.lag_most_ms:.0f} ms (at most),"
            f" memory +{self.grown_mib:.1f} MiB, {share:.0%} of a core"
        )


@asynccontextmanager
async def measured(neighbour: Plugin | None = None) -> AsyncGenerator[Meter, None]:
    """Measure while the block lasts.

    Args:
        neighbour: A plugin that is well, and called again and again.
    """
    gc.collect()
    meter = Meter(rss_before=rss_bytes(), rss_most=rss_bytes())
    began, cpu_began = time.monotonic(), time.process_time()
    is_over = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_tick(meter, is_over))
        if neighbour is not None:
            tasks.create_task(_call(neighbour, meter, is_over))
        try:
            yield meter
        finally:
            is_over.set()
            meter.seconds = time.monotonic() - began
            meter.cpu_seconds = time.process_time() - cpu_began


async def _tick(meter: Meter, is_over: asyncio.Event) -> None:
    while not is_over.is_set():
        began, work_began = time.monotonic(), time.thread_time()
        await asyncio.sleep(_TICK_SECONDS)
        # The loop's clock has whole milliseconds.
        meter.lags.append(max(0.0, time.monotonic() - began - _TICK_SECONDS))
        meter.works.append(time.thread_time() - work_began)
        meter.rss_most = max(meter.rss_most, rss_bytes())


async def _call(neighbour: Plugin, meter: Meter, is_over: asyncio.Event) -> None:
    while not is_over.is_set():
        began = time.monotonic()
        try:
            answer = await neighbour.call_tool("say", {"phrase": "well"}, HERE)
        except PluginCallError as error:
            meter.failed.append(error.reason)
        else:
            meter.calls.append(time.monotonic() - began)
            assert answer.text == "well"
        await asyncio.sleep(_BETWEEN_CALLS_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """What this process holds."""

    files: int
    tasks: int
    children: int
    zombies: int
    objects: int
    """Those that the garbage collector looks through."""
    rss_mib: float

    def __str__(self) -> str:
        return (
            f"{self.files} files, {self.tasks} tasks, {self.children} children,"
            f" {self.zombies} zombies, {self.objects} objects, {self.rss_mib:.1f} MiB"
        )


def holdings() -> Holdings:
    """Return what this process holds now."""
    gc.collect()
    children = psutil.Process().children(recursive=True)
    zombies = sum(_is_zombie(child) for child in children)
    return Holdings(
        files=len(list(Path("/proc/self/fd").iterdir())),
        tasks=len(asyncio.all_tasks()),
        children=len(children) - zombies,
        zombies=zombies,
        objects=len(gc.get_objects()),
        rss_mib=rss_bytes() / MEBIBYTE,
    )


def is_gone(pid: int) -> bool:
    """Say whether a process has ended."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def seconds_until(is_so: Callable[[], bool], *, timeout_seconds: float) -> float:
    """Wait until `is_so()` holds, and return how long that took; infinity if it never does."""
    began = time.monotonic()
    while time.monotonic() < began + timeout_seconds:
        if is_so():
            return time.monotonic() - began
        await asyncio.sleep(0.002)
    return float("inf")


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
