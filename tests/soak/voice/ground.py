"""Where people talk: a Discord for each line, and the bot's process with all lines."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, field
from math import inf
from pathlib import Path

from simulator.discord import DiscordSimulator, running_discord
from simulator.discord.voice.channel import VoiceChannel
from simulator.discord.voice.talker import Talker
from tests.soak.voice.told import (
    Answered,
    Happened,
    LineLook,
    LineSpec,
    Look,
    Overheard,
    Ready,
    Spec,
    Speech,
    Taken,
    Told,
    told_in,
)
from tests.soak.voice.words import REPLIES

READY_SECONDS = 60.0
_LOOK_SECONDS = 20.0
_QUIET_LOOKS = 4
_LOOK_EVERY_SECONDS = 0.5
_MOST_LINE_BYTES = 1 << 20


@dataclass
class Room:
    """A voice channel on a Discord of its own, with a line in it."""

    number: int
    discord: DiscordSimulator
    lounge: VoiceChannel
    heard: list[Speech] = field(default_factory=list[Speech])
    """What people said, as it was understood."""
    answers: list[Answered] = field(default_factory=list[Answered])
    happened: list[Happened] = field(default_factory=list[Happened])

    def turns(self) -> list[Taken]:
        """Return what was answered, or will be."""
        return [each for each in self.heard if isinstance(each, Taken)]

    def text_of(self, talker: Talker, *, since: float = 0.0, until: float = inf) -> str:
        """Return all that somebody said, as it was understood, who began in a time."""
        mine = [each for each in self.heard if each.person_id == talker.id]
        return " ".join(each.text for each in mine if since <= each.began_at <= until)


@dataclass
class Ground:
    """All rooms. Get it from `open_ground`."""

    rooms: Sequence[Room]
    log: Path
    """What the bot's process logs."""
    process: Process | None = None
    is_over: bool = False
    """Whether the process may end."""
    _looks: asyncio.Queue[Look] = field(default_factory=asyncio.Queue[Look])
    _is_ready: asyncio.Event = field(default_factory=asyncio.Event)

    async def look(self) -> Look:
        """Return how the bot's process is doing."""
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        async with asyncio.timeout(_LOOK_SECONDS):
            return await self._looks.get()

    async def quiet(self, *, timeout_seconds: float = 60.0) -> Look:
        """Wait until nobody has talked on any line for a while, the bot included.

        Raises:
            TimeoutError: If it was never so.
        """
        looks = 0
        async with asyncio.timeout(timeout_seconds):
            while True:
                look = await self.look()
                looks = looks + 1 if all(_is_quiet(line) for line in look.lines) else 0
                if looks >= _QUIET_LOOKS:
                    return look
                await asyncio.sleep(_LOOK_EVERY_SECONDS)

    def logged_errors(self) -> list[str]:
        """Return what was logged as an error, a line of each."""
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if " ERROR " in line or " CRITICAL " in line]

    async def ready(self) -> None:
        """Wait until all lines hear and speak."""
        async with asyncio.timeout(READY_SECONDS):
            await self._is_ready.wait()
            for room in self.rooms:
                await room.lounge.connected()

    async def listen(self) -> None:
        """Take what the bot's process tells, until it ends."""
        assert self.process is not None
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            self._take(told_in(line))
        if not self.is_over:
            raise RuntimeError(f"the lines have ended; {self.log} says why")

    def _take(self, told: Told) -> None:
        match told:
            case Ready():
                self._is_ready.set()
            case Look():
                self._looks.put_nowait(told)
            case Taken() | Overheard():
                self.rooms[told.line].heard.append(told)
            case Answered():
                self.rooms[told.line].answers.append(told)
            case Happened():
                self.rooms[told.line].happened.append(told)


@asynccontextmanager
async def open_ground(
    folder: Path, lines: int, *, replies: Sequence[str] = REPLIES
) -> AsyncGenerator[Ground, None]:
    """Put up that many Discords, and the bot on all of them, while the block lasts."""
    async with AsyncExitStack() as stack:
        rooms = []
        for number in range(lines):
            own = folder / f"discord-{number}"
            own.mkdir()
            discord = await stack.enter_async_context(running_discord(own))
            rooms.append(Room(number, discord, discord.voice_channel("Lounge")))
        ground = Ground(rooms, folder / "lines.log")
        spec = Spec(
            folder=str(folder / "data"),
            lines=[_line_spec(room) for room in rooms],
            replies=list(replies),
        )
        path = folder / "spec.json"
        path.write_text(json.dumps(asdict(spec)))
        await stack.enter_async_context(_running(ground, path))
        await ground.ready()
        yield ground


@asynccontextmanager
async def _running(ground: Ground, spec: Path) -> AsyncGenerator[None, None]:
    command = [sys.executable, "-m", "tests.soak.voice.line_process", str(spec)]
    with ground.log.open("wb") as log:
        process = ground.process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=log, limit=_MOST_LINE_BYTES
        )
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(ground.listen())
        try:
            yield
        finally:
            # Not in good order: there is no other bot that has several clients to close.
            ground.is_over = True
            process.kill()
            await process.wait()


def _line_spec(room: Room) -> LineSpec:
    discord = room.discord
    return LineSpec(
        host=discord.host,
        port=discord.tls_port,
        ca_path=str(discord.ca_path),
        token=discord.token,
        guild_id=discord.guild.id,
        channel_id=room.lounge.id,
    )


def _is_quiet(line: LineLook) -> bool:
    return line.state == "listening" and not line.is_answering
