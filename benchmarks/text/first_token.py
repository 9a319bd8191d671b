"""How soon a warm speaker says its first word, against a `claude -p` started for each turn."""

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import Row, Target
from benchmarks.samples import Samples
from benchmarks.text.house import House, open_house
from benchmarks.text.model import PromptModel
from benchmarks.text.one_shot import OneShot
from bot.speaker.claude_speaker import ClaudeSpeaker
from bot.speaker.pool import SpeakerPool
from bot.speaker.speaker import TextCame

_WARM_TURNS_PER_ROUND = 3
_TIMES_SOONER = 8.0
_TURN_SECONDS = 60.0
_SAID = "Alice: how are you?"


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstTokens:
    """What was measured."""

    warm: Samples
    one_shot: Samples

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        ratio = self.one_shot.median / self.warm.median
        return [
            Row(
                name="first token: times sooner than `claude -p`",
                value=ratio,
                unit="times",
                target=Target("≥", _TIMES_SOONER),
                against="one `claude -p` per turn, measured in turns with it; medians",
            ),
            *self.warm.rows(
                "first token of a warm speaker",
                against="from what is said to it until its first text; the model answers at once",
            ),
            *self.one_shot.rows(
                "first token of one `claude -p` per turn",
                against="from its start; same flags, MCP server, gateway and model, one session",
            ),
        ]


async def measure(folder: Path, rounds: int) -> FirstTokens:
    """Measure it, the two in turns so that what disturbs one disturbs the other."""
    warm: list[float] = []
    one_shot: list[float] = []
    async with open_house(folder, PromptModel()) as house, _warm_speaker(house) as speaker:
        shots = OneShot(house)
        session = str(uuid.uuid4())
        for number in range(rounds + 1):
            turns = [await _warm_turn(speaker) for _ in range(_WARM_TURNS_PER_ROUND)]
            began, first = await shots.first_text(_SAID, session, is_resumed=number > 0)
            if number:  # the first round fills caches, and begins both sessions
                warm += turns
                one_shot.append(first - began)
    return FirstTokens(warm=Samples(warm), one_shot=Samples(one_shot))


@asynccontextmanager
async def _warm_speaker(house: House) -> AsyncGenerator[ClaudeSpeaker, None]:
    pool = SpeakerPool(house.settings, house.callers)
    speaker = pool.speaker("warm", claude_session_id=None, session_began=lambda _: None)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(speaker.run())
        try:
            yield speaker
        finally:
            running.cancel()


async def _warm_turn(speaker: ClaudeSpeaker) -> float:
    first: float | None = None
    async with asyncio.timeout(_TURN_SECONDS):
        began = time.monotonic()
        async with aclosing(speaker.answer(_SAID)) as events:
            async for event in events:
                if first is None and isinstance(event, TextCame):
                    first = time.monotonic() - began
    assert first is not None, "it answered with text"
    return first
