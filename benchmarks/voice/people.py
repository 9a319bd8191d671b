"""The people who talk in the benchmark, in a process of their own."""

import asyncio
import base64
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.voice import people_program
from benchmarks.voice.clips import Clip, packets_of

_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    """How late the people's packets were, in seconds: what they cost the bot in vain."""

    p50: float = 0.0
    p99: float = 0.0


class People:
    """All people of all lines. Get them from `running_people`."""

    def __init__(self, process: Process, port: int) -> None:
        self.port = port
        """Where they hear the bot."""
        self.lateness = Lateness()
        """Known when they are gone."""
        self._process = process
        self._known: set[str] = set()

    async def learn(self, clip: Clip) -> None:
        """Have them know what they are to say; takes some milliseconds the first time."""
        if clip.name in self._known:
            return
        self._known.add(clip.name)
        packets = await asyncio.to_thread(packets_of, clip.audio)
        self._order(
            clip=clip.name,
            packets=" ".join(base64.b64encode(packet).decode() for packet in packets),
        )
        await self._stdin.drain()

    def say(self, clip: Clip, *, port: int, person_id: int, at: float, seed: int) -> None:
        """Have somebody say a clip from some time on, of `time.monotonic`."""
        self._order(say=clip.name, port=port, person=person_id, at=at, seed=seed)

    async def end(self) -> None:
        """Let them go."""
        self._stdin.close()
        assert self._process.stdout is not None
        async with asyncio.timeout(_SECONDS):
            told = json.loads(await self._process.stdout.readline())
            await self._process.wait()
        self.lateness = Lateness(p50=told["late_p50"], p99=told["late_p99"])

    def _order(self, **order: object) -> None:
        self._stdin.write(json.dumps(order).encode() + b"\n")

    @property
    def _stdin(self) -> asyncio.StreamWriter:
        assert self._process.stdin is not None
        return self._process.stdin


@asynccontextmanager
async def running_people() -> AsyncGenerator[People, None]:
    """Have people while the block lasts."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-IS", str(Path(people_program.__file__)), stdin=PIPE, stdout=PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(_SECONDS):
            told = json.loads(await process.stdout.readline())
        people = People(process, told["port"])
        yield people
        await people.end()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
