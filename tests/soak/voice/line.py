"""One line of the bot: all of it is the bot's but who answers."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from itertools import cycle
from pathlib import Path

from bot.access import Place
from bot.conversation.line_pipeline import LineOptions, LinePipeline
from bot.discord_io.client import run_discord
from bot.discord_io.link import DiscordLink
from bot.discord_io.options import DiscordOptions, Endpoint
from bot.voice_door import CameIn, VoiceEvent, WentOut
from bot.voice_engines import VoiceEngines
from tests.fakes.listener import FakeListener
from tests.soak.voice.told import Answered, Happened, LineLook, LineSpec, Overheard, Taken, Told
from voice.events import LineState, Participant, Remark, SpokenTurn, StopCause

_NAMES = ("Papercup", "paper cup")
_MOST_WAITING = 20
_LOGIN_SECONDS = 30.0
_THOUGHT_SECONDS = 0.3
_PIECE_SECONDS = 0.03
_PIECE_WORDS = 3


class Line:
    """Implements `LineListener`: answers each turn with the next of its replies."""

    def __init__(self, number: int, replies: list[str], tell: Callable[[Told], None]) -> None:
        self.pipeline: LinePipeline | None = None
        self._number = number
        self._replies = cycle(replies)
        self._tell = tell
        self._state = LineState.LISTENING
        self._is_answering = False
        self._waiting: asyncio.Queue[SpokenTurn] = asyncio.Queue(_MOST_WAITING)

    def participant(self, person_id: int) -> Participant:
        return Participant(person_id=person_id, name=f"person {person_id}", may_talk=True)

    def turn_taken(self, turn: SpokenTurn) -> None:
        said = turn.utterance
        self._tell(
            Taken(
                line=self._number,
                person_id=said.person_id,
                text=said.text,
                began_at=said.began_at,
                ended_at=said.ended_at,
                committed_at=said.committed_at,
                at=time.monotonic(),
                reason=said.reason.value,
            )
        )
        if not self._waiting.full():
            self._waiting.put_nowait(turn)

    def overheard(self, remark: Remark) -> None:
        person_id, line = remark.person_id, self._number
        self._tell(Overheard(line=line, person_id=person_id, text=remark.text, began_at=remark.at))

    def speech_stopped(self, by: int, cause: StopCause) -> None:
        pass

    def work_cancelled(self, by: int) -> None:
        pass

    def state_changed(self, state: LineState, person_id: int | None) -> None:
        del person_id
        self._state = state

    def happened(self, event: VoiceEvent) -> None:
        if self.pipeline is not None and isinstance(event, CameIn | WentOut):
            self.pipeline.people_changed()
        self._tell(Happened(line=self._number, event=type(event).__name__, at=time.monotonic()))

    async def answer_all(self, pipeline: LinePipeline) -> None:
        """Answer what is asked, one after the other, until cancelled."""
        while True:
            turn = await self._waiting.get()
            self._is_answering = True
            pipeline.working_for(turn.utterance.person_id)
            written = next(self._replies)
            heard = await pipeline.answer(_pieces(written), to=turn.utterance.person_id)
            pipeline.work_ended()
            self._is_answering = False
            line, is_whole = self._number, heard.is_whole
            self._tell(Answered(line=line, written=written, heard=heard.text, is_whole=is_whole))

    def look(self) -> LineLook:
        """Return how it is doing."""
        assert self.pipeline is not None
        report = self.pipeline.report()
        return LineLook(
            state=self._state.value,
            is_answering=self._is_answering or not self._waiting.empty(),
            rejoins=report.link.rejoins,
            link_counts=dict(report.link.counts),
            hearing_counts=dict(report.hearing_counts),
            troubles=list(report.troubles),
        )


@asynccontextmanager
async def running_line(
    number: int,
    spec: LineSpec,
    engines: VoiceEngines,
    replies: list[str],
    tell: Callable[[Told], None],
) -> AsyncGenerator[Line, None]:
    """Have a line in the voice channel of a Discord while the block lasts."""
    discord, line = DiscordLink(), Line(number, replies, tell)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(run_discord(discord, _Nobody(), _options(spec)))
        async with asyncio.timeout(_LOGIN_SECONDS):
            await discord.ready.wait()
        place = Place(guild_id=spec.guild_id, channel_id=spec.channel_id)
        link = await discord.voice_door.join(place, line.happened)
        options = LineOptions(names=_NAMES)
        async with engines.open_pipeline(link, line, options) as line.pipeline:
            answering = tasks.create_task(line.answer_all(line.pipeline))
            try:
                yield line
            finally:
                answering.cancel()
        await discord.voice_door.leave(spec.guild_id)
        running.cancel()


class _Nobody(FakeListener):
    """Nobody writes to the bot here, and nothing is kept: its memory is looked at."""

    async def heard_until(self, at: float) -> None:
        pass


def _options(spec: LineSpec) -> DiscordOptions:
    ca_path = Path(spec.ca_path)
    return DiscordOptions(
        token=spec.token, endpoint=Endpoint(host=spec.host, port=spec.port, ca_path=ca_path)
    )


async def _pieces(text: str) -> AsyncGenerator[str, None]:
    """Yield a text as a model writes it."""
    await asyncio.sleep(_THOUGHT_SECONDS)
    words = text.split(" ")
    for at in range(0, len(words), _PIECE_WORDS):
        yield " ".join(words[at : at + _PIECE_WORDS]) + " "
        await asyncio.sleep(_PIECE_SECONDS)
