"""People who talk to their lines, all at the same time, and interrupt the answers."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from random import Random
from typing import Protocol

from benchmarks.voice.clips import Clip
from benchmarks.voice.line import TakenTurn, running_line
from benchmarks.voice.loopback_link import LoopbackLink
from benchmarks.voice.people import People
from benchmarks.voice.stage import Stage

_LEAD_SECONDS = 0.05
_LISTENED_SECONDS = (0.7, 1.3)
"""How long somebody listens to an answer before they go on talking, from and to."""
_PATIENCE_SECONDS = 3.0
"""So long after their end, nothing more is expected to come of what somebody has said."""
_STAGGER_SECONDS = 2.0
"""Within that time all begin."""


class TalkedTo(Protocol):
    """A line, the real one or the naive one."""

    @property
    def link(self) -> LoopbackLink:
        """What carries its audio."""
        ...

    @property
    def person_id(self) -> int:
        """Who talks to it."""
        ...

    @property
    def turns(self) -> Sequence[TakenTurn]:
        """What it has understood, in order."""
        ...

    @property
    def changed(self) -> asyncio.Event:
        """Set when there is another one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One thing that somebody said, and what came of it. All times are seconds."""

    clip: Clip
    to_transcript: float
    """From the end of the voice until it was handed over to be answered."""
    to_packet: float
    """From that until the first packet of the answer."""
    to_silence: float | None
    """From the beginning of the voice until the last packet of the answer before; None if nothing
    was being said."""
    was_early: bool
    """Whether it was taken to be over while it was still being said."""

    @property
    def to_sound(self) -> float:
        """From the end of the voice until the first packet of the answer."""
        return self.to_transcript + self.to_packet


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """All that was said on some lines at the same time."""

    exchanges: tuple[Exchange, ...]
    unanswered: int
    """How much of what was said was not answered."""
    cpu_seconds: float
    """Of this process, in all of its threads."""
    seconds: float

    @property
    def cores(self) -> float:
        """How many cores were busy with it."""
        return self.cpu_seconds / self.seconds


async def talk(stage: Stage, clips: Sequence[Clip], *, lines: int, turns: int) -> Talk:
    """Have people talk on so many real lines, each so many times."""
    async with AsyncExitStack() as stack:
        opened = [
            await stack.enter_async_context(running_line(stage, person_id))
            for person_id in range(1, lines + 1)
        ]
        return await talk_to(stage.people, opened, clips, turns=turns)


async def talk_to(
    people: People, lines: Sequence[TalkedTo], clips: Sequence[Clip], *, turns: int
) -> Talk:
    """Have one person talk to each line, each so many times; clips are used in turn."""
    for clip in clips:
        await people.learn(clip)
    cpu, began = time.process_time(), time.monotonic()
    async with asyncio.TaskGroup() as tasks:
        talking = [
            tasks.create_task(_Person(people, line).talk([clips[n % len(clips)] for n in numbers]))
            for line, numbers in zip(lines, _shares(len(lines), turns), strict=True)
        ]
    said = [exchange for task in talking for exchange in task.result()]
    return Talk(
        exchanges=tuple(exchange for exchange in said if exchange is not None),
        unanswered=sum(exchange is None for exchange in said),
        cpu_seconds=time.process_time() - cpu,
        seconds=time.monotonic() - began,
    )


def _shares(lines: int, turns: int) -> Iterable[range]:
    return (range(number * turns, (number + 1) * turns) for number in range(lines))


class _Person:
    """Somebody who talks to their line."""

    def __init__(self, people: People, line: TalkedTo) -> None:
        self._people = people
        self._line = line
        self._chance = Random(line.person_id)  # noqa: S311 - no secret

    async def talk(self, clips: Sequence[Clip]) -> list[Exchange | None]:
        """Say one thing after the other; None stands for what was not answered."""
        await asyncio.sleep(self._chance.uniform(0, _STAGGER_SECONDS))
        exchanges: list[Exchange | None] = []
        for clip in clips:
            exchanges.append(await self._say(clip))
            await asyncio.sleep(self._chance.uniform(*_LISTENED_SECONDS))
        return exchanges

    async def _say(self, clip: Clip) -> Exchange | None:
        line = self._line
        turns_before, sent_before = len(line.turns), len(line.link.sent_at)
        began_at = time.monotonic() + _LEAD_SECONDS
        ended_at = began_at + clip.seconds
        self._people.say(
            clip,
            port=line.link.port,
            person_id=line.person_id,
            at=began_at,
            seed=self._chance.getrandbits(32),
        )
        try:
            async with asyncio.timeout(clip.seconds + _PATIENCE_SECONDS):
                turn = await self._turn(ended_at)
                packet_at = await self._packet(turn.at)
        except TimeoutError:
            return None
        new = line.turns[turns_before:]
        return Exchange(
            clip=clip,
            to_transcript=turn.at - ended_at,
            to_packet=packet_at - turn.at,
            to_silence=_to_silence(line.link.sent_at[sent_before:], began_at, new[0].at),
            was_early=new[0].at < ended_at,
        )

    async def _turn(self, after: float) -> TakenTurn:
        line = self._line
        await _until(line.changed, lambda: bool(line.turns) and line.turns[-1].at > after)
        return line.turns[-1]

    async def _packet(self, after: float) -> float:
        sent_at = self._line.link.sent_at
        await _until(self._line.link.spoke, lambda: bool(sent_at) and sent_at[-1] > after)
        return next(at for at in sent_at if at > after)


def _to_silence(sent_at: Sequence[float], began_at: float, answered_at: float) -> float | None:
    """Return how long the answer before went on; it may have ended by itself before."""
    during = [at for at in sent_at if at < answered_at]
    if not during or during[-1] < began_at:
        return None
    return during[-1] - began_at


async def _until(event: asyncio.Event, is_so: Callable[[], bool]) -> None:
    while not is_so():
        event.clear()
        await event.wait()
