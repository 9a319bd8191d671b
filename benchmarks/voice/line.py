"""One voice line of the benchmark: the real pipeline, and a listener that answers at once."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle

from benchmarks.voice.loopback_link import LoopbackLink, running_link
from benchmarks.voice.sentences import REPLIES
from benchmarks.voice.stage import Stage
from voice.clips import Clips
from voice.events import LineState, Participant, Remark, SpokenTurn, StopCause
from voice.pipeline import Pipeline, open_pipeline
from voice.pipeline_parts import PipelineParts
from voice.turn_taking import TurnOptions

_MOST_WAITING = 100
_PIECE_WORDS = 3
_SECONDS = 20.0
"""How long anything on a line may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenTurn:
    """What a line has understood."""

    text: str
    at: float
    """When it was handed to whoever answers, of `time.monotonic`."""


class Line:
    """Implements `LineListener`; get one from `running_line`."""

    def __init__(self, link: LoopbackLink, person_id: int) -> None:
        self.link = link
        self.person_id = person_id
        self.pipeline: Pipeline | None = None
        """Set as soon as it is open."""
        self.turns: list[TakenTurn] = []
        self.overheard_count = 0
        """How often its person was not answered, as they were not taken to talk to the bot."""
        self.state = LineState.LISTENING
        self.changed = asyncio.Event()
        """Set when a turn was taken, or the state has changed; cleared by whoever waits for it."""
        self._waiting: asyncio.Queue[SpokenTurn] = asyncio.Queue(_MOST_WAITING)
        self._replies = cycle(REPLIES)

    def participant(self, person_id: int) -> Participant:
        """Return somebody in the channel; see `LineListener`."""
        return Participant(person_id=person_id, name="Somebody", may_talk=True)

    def turn_taken(self, turn: SpokenTurn) -> None:
        """Answer a turn; see `LineListener`."""
        self.turns.append(TakenTurn(text=turn.utterance.text, at=time.monotonic()))
        self._waiting.put_nowait(turn)
        self.changed.set()

    def overheard(self, remark: Remark) -> None:
        """Count what is not answered; see `LineListener`."""
        del remark
        self.overheard_count += 1

    def speech_stopped(self, by: int, cause: StopCause) -> None:
        """See `LineListener`: the answer has ended by itself then."""

    def work_cancelled(self, by: int) -> None:
        """See `LineListener`: an answer takes no work."""

    def state_changed(self, state: LineState, person_id: int | None) -> None:
        """Keep the state; see `LineListener`."""
        del person_id
        self.state = state
        self.changed.set()

    async def say(self, text: str) -> None:
        """Speak a text, and return when it was spoken."""
        assert self.pipeline is not None
        await self.pipeline.say(text)

    async def answered(self) -> None:
        """Return once it speaks an answer."""
        await self._until(lambda: bool(self.turns) and self.state is LineState.SPEAKING)

    async def hush(self) -> None:
        """End what is spoken, and return when nothing is any more."""
        assert self.pipeline is not None
        self.pipeline.stop_speech()
        await self._until(lambda: self.state is not LineState.SPEAKING)

    async def _until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(_SECONDS):
            while not is_so():
                self.changed.clear()
                await self.changed.wait()

    async def answer(self, pipeline: Pipeline) -> None:
        """Answer all turns, one after the other, until cancelled."""
        while True:
            turn = await self._waiting.get()
            person_id = turn.utterance.person_id
            pipeline.working_for(person_id)
            await pipeline.answer(_pieces(next(self._replies)), to=person_id)
            pipeline.work_ended()


@asynccontextmanager
async def running_line(stage: Stage, person_id: int) -> AsyncGenerator[Line, None]:
    """Have a line with one person on it while the block lasts."""
    async with running_link(person_id, stage.people.port) as link:
        line = Line(link, person_id)
        voices = stage.voices.for_line()
        parts = PipelineParts(
            link=link,
            listener=line,
            models=stage.models,
            pool=stage.pool,
            voices=voices,
            clips=Clips(voices, stage.fillers),
            # The tone lasts 0.2 s, and goes before an answer that is there at once.
            turns=TurnOptions(tone=False, filler=False),
            clock=asyncio.get_running_loop().time,
        )
        async with open_pipeline(parts) as line.pipeline, asyncio.TaskGroup() as tasks:
            answering = tasks.create_task(line.answer(line.pipeline))
            try:
                yield line
            finally:
                answering.cancel()


async def _pieces(text: str) -> AsyncGenerator[str, None]:
    """Yield a text as a model that takes no time would write it."""
    words = text.split(" ")
    for at in range(0, len(words), _PIECE_WORDS):
        yield " ".join(words[at : at + _PIECE_WORDS]) + " "
