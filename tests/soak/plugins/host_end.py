"""Hosts that are ended from outside."""

import asyncio
import json
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from extensions.process.families import kill_processes
from tests.soak.plugins.meters import is_gone, seconds_until
from tests.soak.plugins.scene import Scene

_START_SECONDS = 30.0
_GRACE_SECONDS = 5.0


async def killed(scene: Scene) -> None:
    """F21."""
    async with host_process(scene.folder, "deaf", "stubborn") as (process, told):
        pids: list[int] = list(told["plugins"].values())
        began = time.monotonic()
        process.kill()
        await process.wait()
        await seconds_until(lambda: all(map(is_gone, pids)), timeout_seconds=10)
        seconds = time.monotonic() - began
        left = [pid for pid in pids if not is_gone(pid)]
        orphans = [pid for pid in told["family"] if not is_gone(pid)]
        kill_processes(orphans)
    scene.must("no plugin is left", be=not left, seen=left)
    scene.must_stay_below("they are gone within 2 s", 2.0, seconds, "s")
    scene.tell(
        f"{len(pids)} plugins (one deaf, one that ignores all signals it can) gone after"
        f" {seconds:.2f} s; of 10 processes that a plugin had started {len(orphans)} lived on"
    )


async def terminated(scene: Scene) -> None:
    """F22."""
    async with host_process(scene.folder, "deaf", "stubborn") as (process, told):
        pids = [*told["plugins"].values(), *told["family"]]
        assert process.stdout is not None
        began = time.monotonic()
        process.terminate()
        async with asyncio.timeout(_START_SECONDS):
            ends: dict[str, int] = json.loads(await process.stdout.readline())
            code = await process.wait()
        seconds = time.monotonic() - began
        left = [pid for pid in pids if not is_gone(pid)]
    scene.must("the host ends with code 0", be=code == 0, seen=code)
    limit = _GRACE_SECONDS + 1
    scene.must_stay_below("within the grace (5 s) and 1 s", limit, seconds, "s")
    is_told = sum(ends.values()) == 100 and all("failed: " in each for each in ends)
    scene.must("each of 100 open calls is told so", be=is_told, seen=ends)
    scene.must("no process is left, of plugins or of theirs", be=not left, seen=left)
    scene.tell(f"ended after {seconds:.2f} s, with a stubborn and a deaf plugin; calls: {ends}")


@asynccontextmanager
async def host_process(
    folder: Path, *kinds: str
) -> AsyncGenerator[tuple[Process, dict[str, Any]], None]:
    """Run a host in a process of its own while the block lasts, with 100 calls open.

    Args:
        folder: Where it may write.
        kinds: What is wrong with its plugins, beside one that hangs.
    """
    command = [sys.executable, "-m", "tests.soak.plugins.host_process", str(folder), *kinds]
    with (folder / "host.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=log)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(_START_SECONDS):
            line = await process.stdout.readline()
        yield process, json.loads(line)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
