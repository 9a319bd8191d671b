"""A host of plugins in a process of its own that is told to end; `just soak` does worse to it."""

import asyncio
import json
import os
from pathlib import Path

from tests.fakes.peer_owner import is_gone
from tests.fakes.waiting import until
from tests.soak.plugins.host_end import host_process


async def test_a_host_that_is_told_to_end_does_so_in_good_order_with_calls_open(
    tmp_path: Path,
) -> None:
    async with asyncio.timeout(30), host_process(tmp_path) as (process, told):
        assert process.stdout is not None
        process.terminate()
        ends = json.loads(await process.stdout.readline())
        code = await process.wait()

    assert ends == {"tool `hang` failed: it was ended or reloaded before it had answered": 100}
    assert code == 0
    assert all(map(is_gone, [*told["plugins"].values(), *told["family"]]))


async def test_no_plugin_outlives_a_host_that_is_killed(tmp_path: Path) -> None:
    async with asyncio.timeout(30), host_process(tmp_path) as (process, told):
        process.kill()
        await process.wait()
        await until(lambda: all(map(is_gone, told["plugins"].values())))
    # Those that a plugin had started are in nobody's care any more.
    for pid in told["family"]:
        os.kill(pid, 9)
