"""A plugin from its template to Discord and out again, as `papercup demo --authors` shows it."""

import asyncio
import io
import sys

from rich.console import Console

from simulator.demo.authors_acts import SCENE_COUNT, perform_with_one
from simulator.demo.authors_demo import authors_demo
from simulator.demo.progress import showing_progress


async def test_a_plugin_goes_its_whole_way_beside_a_running_bot() -> None:
    console = Console(file=io.StringIO(), width=200)
    with showing_progress(Console(file=io.StringIO()), SCENE_COUNT) as progress:
        async with asyncio.timeout(55):
            report = await authors_demo(
                [sys.executable, "-m", "bot"], console, progress, acts=perform_with_one
            )

    assert [each for each in report.checks if not each.ok] == [], console.file
    assert {each.name for each in report.checks} >= {
        "the speaker uses its tool",
        "an update takes trust away: it does not run, and its tool is gone",
        "trusted anew, it works as it was changed",
        "refused by name: leak/passwd",
        "a search offline finds the index, and names what it did not reach",
        "no process and no folder of them is left",
    }
