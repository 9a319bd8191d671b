"""How much memory voice takes, over a bot that has text alone, and each line."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from dataclasses import dataclass

from benchmarks.rows import Row, Target
from benchmarks.voice.memory_probe import FIRST_LINES, MORE_LINES

_VOICE_MB = 350.0
_LINE_MB = 2.0
_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What was measured, in MB."""

    text: float
    """Of a process that has imported the bot, and nothing of voice."""
    few_lines: float
    """Of one that has `FIRST_LINES` as well, on which people were answered."""
    many_lines: float
    """Of the same with `MORE_LINES` more, on which people were answered, too."""

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        return [
            Row(
                name="memory of voice over the text bot",
                value=self.few_lines - self.text,
                unit="MB",
                target=Target("≤", _VOICE_MB),
                against=f"resident: {self.text:.0f} MB with `bot.app` imported,"
                f" {self.few_lines:.0f} MB with all models and {FIRST_LINES} lines that have"
                " answered",
            ),
            Row(
                name="memory of each line",
                value=(self.many_lines - self.few_lines) / MORE_LINES,
                unit="MB",
                target=Target("≤", _LINE_MB),
                against=f"resident: {self.many_lines:.0f} MB with {MORE_LINES} more that have"
                " answered",
            ),
        ]


async def measure() -> Memory:
    """Measure it, each in a process of its own."""
    text, voice = await _probed("text"), await _probed("voice")
    return Memory(text=text["text"], few_lines=voice["few_lines"], many_lines=voice["many_lines"])


async def _probed(what: str) -> dict[str, float]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.voice.memory_probe", what, stdout=PIPE
    )
    try:
        async with asyncio.timeout(_SECONDS):
            told, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    probed: dict[str, float] = json.loads(told)
    return probed
