"""Hears everybody on one line: an ear for each person, the models for all.

It costs next to nothing while nobody talks: without packets there are no timers.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import assert_never

from voice.ear import Ear, EarOptions, EarStep, Listen
from voice.endpointer_steps import Withdraw
from voice.engines.protocols import EngineError
from voice.events import (
    Guessed,
    HeardPacket,
    HearingEvent,
    UtteranceEnded,
    VoiceBegan,
    VoiceFaded,
    VoicePaused,
    VoiceWentOn,
)
from voice.hearing_models import HearingModels
from voice.hearing_report import HearingLog, HearingReport
from voice.model_calls import ModelCalls, Pool
from voice.model_pool import Priority
from voice.opus import opus_library
from voice.samples import Samples
from voice.transcripts import words_only

logger = logging.getLogger(__name__)

_LISTENING_IN = 0
"""The number of what was not asked for by an ear, whose numbers begin at 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HearingOptions:
    """How people are heard."""

    ear: EarOptions = field(default_factory=EarOptions)


class Hearing:
    """Turns packets into what people say. Get it from `running_hearing`; use it on its loop."""

    def __init__(
        self,
        models: HearingModels,
        pool: Pool,
        tell: Callable[[HearingEvent], None],
        tasks: asyncio.TaskGroup,
        *,
        options: HearingOptions,
        clock: Callable[[], float],
        broke: Callable[[EngineError], None],
        is_written: Callable[[int], bool],
    ) -> None:
        self._log = HearingLog()
        self._models = ModelCalls(models, pool, self._log, broke)
        self._tell_owner = tell
        self._tasks = tasks
        self._options = options
        self._clock = clock
        self._is_written = is_written
        self._ears: dict[int, Ear] = {}
        self._working: dict[tuple[Ear, int], set[asyncio.Task[None]]] = {}
        """What the models do, by the ear and its number for it."""
        self._is_muted = False
        self._is_deaf = not self._has_opus()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0

    def packet(self, packet: HeardPacket) -> None:
        """Hear a packet that has arrived."""
        if self._is_muted or self._is_deaf:
            return
        ear = self._ears.get(packet.person_id) or self._new_ear(packet.person_id)
        self._do(ear, ear.packet(packet))
        self._wake_at(ear.next_at)

    def listen_in(self, person_id: int) -> None:
        """Have it guessed what somebody has said so far; nothing is told if they say nothing."""
        ear = self._ears.get(person_id)
        if ear is None or (ear, _LISTENING_IN) in self._working or not self._is_written(person_id):
            return
        if (so_far := ear.so_far()) is not None:
            self._start(ear, _LISTENING_IN, self._listen_in(ear, *so_far))

    @property
    def people(self) -> Sequence[int]:
        """The ids of those for whom there is an ear."""
        return tuple(self._ears)

    def left(self, person_id: int) -> None:
        """Know that nothing more will come of somebody: what they were saying is told as it is."""
        ear = self._ears.pop(person_id, None)
        if ear is not None:
            self._do(ear, ear.left(self._clock()))

    def set_muted(self, is_muted: bool) -> None:  # noqa: FBT001 - what it sets is all that it says
        """Hear nobody from now on, and forget what was being said; or hear again."""
        self._is_muted = is_muted
        if is_muted:
            for ear in list(self._ears.values()):
                self._do(ear, ear.silenced(self._clock()))
            self._ears.clear()

    def report(self) -> HearingReport:
        """Return how it is doing."""
        return self._log.report()

    def stop(self) -> None:
        """Hear nobody any more, and leave what is being written down."""
        self._is_deaf = True
        self._ears.clear()
        if self._timer is not None:
            self._timer.cancel()
        for ear, number in list(self._working):
            self._withdraw(ear, number)

    def _has_opus(self) -> bool:
        try:
            opus_library()
        except EngineError as error:
            self._models.broke("libopus", error)
            return False
        return True

    def _new_ear(self, person_id: int) -> Ear:
        ear = Ear(
            person_id,
            self._models.voice_stream(),
            self._options.ear,
            counts=self._log.counts,
            judged=self._models.frame_judged,
        )
        self._ears[person_id] = ear
        return ear

    # --- Time. ----------------------------------------------------------------------------------

    def _wake_at(self, at: float | None) -> None:
        if at is None or (self._timer is not None and self._timer_at <= at):
            return
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer_at = at
        self._timer = loop.call_later(max(at - self._clock(), 0.0), self._woken)

    def _woken(self) -> None:
        self._timer = None
        # A timer may be early by less than the clock can tell.
        now = max(self._clock(), self._timer_at)
        for ear in list(self._ears.values()):
            self._do(ear, ear.passed(now))
        times = [ear.next_at for ear in self._ears.values()]
        self._wake_at(min((at for at in times if at is not None), default=None))

    # --- What ears want. ------------------------------------------------------------------------

    def _do(self, ear: Ear, steps: list[EarStep]) -> None:
        for step in steps:
            match step:
                case Listen():
                    self._listen(ear, step)
                case Withdraw(number=number):
                    self._withdraw(ear, number)
                case _:
                    self._tell(step)

    def _listen(self, ear: Ear, wanted: Listen) -> None:
        is_written = self._is_written(ear.person_id)
        self._start(ear, wanted.number, self._write(ear, wanted, is_written=is_written))
        if is_written and not wanted.is_over:
            self._start(ear, wanted.number, self._judge(ear, wanted))

    def _start(self, ear: Ear, number: int, work: Coroutine[None, None, None]) -> None:
        task = self._tasks.create_task(work)
        self._working.setdefault((ear, number), set()).add(task)
        task.add_done_callback(partial(self._ended, ear, number))

    def _ended(self, ear: Ear, number: int, task: asyncio.Task[None]) -> None:
        tasks = self._working[ear, number]
        tasks.discard(task)
        if not tasks:
            del self._working[ear, number]

    def _withdraw(self, ear: Ear, number: int) -> None:
        for task in self._working.get((ear, number), ()):
            task.cancel()

    async def _write(self, ear: Ear, wanted: Listen, *, is_written: bool) -> None:
        began_at = self._clock()
        priority = Priority.FINAL if wanted.is_over else Priority.GUESS
        # Of somebody who is not written down it matters only that they talk.
        text = await self._models.transcript(priority, wanted.audio) if is_written else ""
        now = self._clock()
        self._do(ear, ear.written(wanted.number, text, seconds=now - began_at, at=now))
        self._wake_at(ear.next_at)

    async def _judge(self, ear: Ear, wanted: Listen) -> None:
        began_at = self._clock()
        over = await self._models.over(wanted.audio)
        now = self._clock()
        self._do(ear, ear.judged(wanted.number, over, seconds=now - began_at, at=now))
        self._wake_at(ear.next_at)

    async def _listen_in(self, ear: Ear, audio: Samples, voiced_seconds: float) -> None:
        text = await self._models.transcript(Priority.INTERRUPTION, audio)
        if text is not None and self._ears.get(ear.person_id) is ear:
            self._tell(
                Guessed(
                    person_id=ear.person_id,
                    text=words_only(text),
                    voiced_seconds=voiced_seconds,
                    at=self._clock(),
                )
            )

    # --- What is told. --------------------------------------------------------------------------

    def _tell(self, event: HearingEvent) -> None:
        match event:
            case UtteranceEnded(utterance=utterance):
                self._log.ended(utterance, self._clock())
            case VoiceFaded():
                self._log.counts["noises"] += 1
            case VoiceBegan() | VoiceWentOn() | VoicePaused() | Guessed():
                pass
            case _:
                assert_never(event)
        try:
            self._tell_owner(event)
        except Exception:
            logger.exception("what was heard could not be handled; hearing goes on")


@asynccontextmanager
async def running_hearing(
    models: HearingModels,
    pool: Pool,
    tell: Callable[[HearingEvent], None],
    *,
    options: HearingOptions | None = None,
    clock: Callable[[], float] | None = None,
    broke: Callable[[EngineError], None],
    is_written: Callable[[int], bool] = lambda _: True,
) -> AsyncGenerator[Hearing, None]:
    """Hear the people of a line while the block lasts.

    Args:
        models: What hears.
        pool: Where the models work.
        tell: Told what is heard, on the loop's thread. Of one person in the order in which it
            happened, but for the end of an utterance: its transcript may come when the next one
            has begun.
        options: How people are heard.
        clock: Gives seconds of a monotonic clock, the same as that of the packets; the loop's
            unless told.
        broke: Told that an engine cannot be used; each is tried again when it is next needed.
        is_written: Says of whom it may be written down what they say, by their id; asked each
            time. Of others it is told only that they talk.
    """
    async with asyncio.TaskGroup() as tasks:
        hearing = Hearing(
            models,
            pool,
            tell,
            tasks,
            options=options or HearingOptions(),
            clock=clock or asyncio.get_running_loop().time,
            broke=broke,
            is_written=is_written,
        )
        try:
            yield hearing
        finally:
            hearing.stop()
