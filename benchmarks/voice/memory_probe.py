"""Tells how much memory it takes, as JSON, in MB: `python -m benchmarks.voice.memory_probe WHAT`.

WHAT is `text` or `voice`.
"""

import asyncio
import importlib
import json
import os
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.voice.stage import Stage

FIRST_LINES = 4
"""So many use all model threads at the same time; each of these keeps some memory of its own."""
MORE_LINES = 16

_PAGES_FILE = Path("/proc/self/statm")


def main() -> None:
    """Take what is to be measured, and tell."""
    # All of the bot that is there without a voice line.
    importlib.import_module("bot.app")
    told = {"text": _resident_mb()}
    if sys.argv[1:] == ["voice"]:
        told |= asyncio.run(_voice())
    sys.stdout.write(json.dumps(told) + "\n")


async def _voice() -> dict[str, float]:
    # Only here: with text alone, none of it is loaded.
    from benchmarks.voice.stage import running_stage  # noqa: PLC0415

    async with running_stage() as stage, AsyncExitStack() as stack:
        await _talk(stage, stack, range(FIRST_LINES))
        few_lines = _resident_mb()
        await _talk(stage, stack, range(FIRST_LINES, FIRST_LINES + MORE_LINES))
        return {"few_lines": few_lines, "many_lines": _resident_mb()}


async def _talk(stage: "Stage", stack: AsyncExitStack, people: Sequence[int]) -> None:
    from benchmarks.voice.corpus import readings  # noqa: PLC0415
    from benchmarks.voice.line import running_line  # noqa: PLC0415
    from benchmarks.voice.talk import talk_to  # noqa: PLC0415

    lines = [await stack.enter_async_context(running_line(stage, each)) for each in people]
    await talk_to(stage.people, lines, readings()[:2], turns=2)


def _resident_mb() -> float:
    pages = int(_PAGES_FILE.read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


if __name__ == "__main__":
    main()
