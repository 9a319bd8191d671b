"""How soon plugins are ready: one, and many at once."""

import asyncio
import subprocess
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from benchmarks.plugins.contenders import child_arguments, mcp_client, our_host, smooth_operator
from benchmarks.plugins.house import empty_host, load_all
from benchmarks.plugins.loads import AsyncCall
from benchmarks.rows import Row, Target
from benchmarks.samples import Samples
from extensions.process.interpreter import base_python

_MANY = 200
_MANY_SECONDS = 5.0
_GREETING = b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class Starts:
    """What was measured."""

    ours: Samples
    mcp: Samples
    smooth: Samples
    bare: Samples
    many_seconds: float
    count: int
    """How many were started at once."""

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        return [
            *self.ours.rows(
                "a plugin is ready",
                against="from load() until its handshake is done; Python -ISE, started by a"
                " program that sets its limits",
            ),
            *self.mcp.rows("ready: the mcp package's client", against="the same child"),
            *self.smooth.rows("ready: smooth-operator-core", against="the same child"),
            *self.bare.rows("ready: bare process", against="Popen until its first answer"),
            Row(
                name=f"{self.count} plugins that are loaded at once are ready",
                value=self.many_seconds,
                unit="s",
                target=Target("≤", _MANY_SECONDS),
                against="8 are spawned at a time; the time is mostly Python's own start",
            ),
        ]


async def measure(*, rounds: int, count: int = _MANY) -> Starts:
    """Measure it, in turns."""
    ours: list[float] = []
    mcp: list[float] = []
    smooth: list[float] = []
    bare: list[float] = []
    for _ in range(rounds):
        ours.append(await _seconds_until_ready(our_host))
        mcp.append(await _seconds_until_ready(mcp_client))
        smooth.append(await _seconds_until_ready(smooth_operator))
        bare.append(await asyncio.to_thread(_bare_seconds))
    return Starts(
        ours=Samples(ours),
        mcp=Samples(mcp),
        smooth=Samples(smooth),
        bare=Samples(bare),
        many_seconds=await _start_many(count),
        count=count,
    )


async def _seconds_until_ready(
    opening: Callable[[], AbstractAsyncContextManager[AsyncCall]],
) -> float:
    began = time.perf_counter()
    async with opening():
        return time.perf_counter() - began


async def _start_many(count: int) -> float:
    async with empty_host() as host:
        began = time.perf_counter()
        await load_all(host, count)
        return time.perf_counter() - began


def _bare_seconds() -> float:
    began = time.perf_counter()
    with subprocess.Popen(
        [str(base_python()), *child_arguments("sep")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(_GREETING)
        child.stdout.readline()
        return time.perf_counter() - began
