"""One voice line: what is heard becomes turns, and what is to be said becomes sound.

    link -> hearing -> turn taking -> its commands: to the listener, the mouth and the link

Everything happens on the loop's thread; `TurnTaking` decides, this carries out.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import assert_never

from voice.captures import Captures
from voice.commands import (
    AnnounceNow,
    CancelWork,
    LineCommand,
    ListenIn,
    Overhear,
    PauseSpeech,
    PlayTone,
    ResumeSpeech,
    SayFiller,
    StopSpeech,
    TakeTurn,
)
from voice.engines.protocols import EngineError
from voice.events import (
    Heard,
    HearingEvent,
    LineMode,
    LineState,
    Participant,
    UtteranceEnded,
    VoiceBegan,
    VoiceFaded,
)
from voice.hearing import Hearing, running_hearing
from voice.hearing_report import HearingReport
from voice.line_report import INTERRUPTED, TRANSCRIBED, LineReport
from voice.line_voice import LineVoice
from voice.mouth import Mouth
from voice.pipeline_parts import PipelineParts
from voice.stage_times import StageLog
from voice.turn_taking import TurnTaking

logger = logging.getLogger(__name__)


class Pipeline:
    """Hears and speaks on one link. Get it from `open_pipeline`."""

    def __init__(self, parts: PipelineParts) -> None:
        self._parts = parts
        self._link = parts.link
        self._listener = parts.listener
        self._clock = parts.clock
        self._turns = TurnTaking(parts.turns)
        self._stages = StageLog()
        self._voice = LineVoice(
            mouth=Mouth(parts.link, parts.voices),
            clips=parts.clips,
            turns=self._turns,
            obey=self._obey,
            stages=self._stages,
            clock=self._clock,
        )
        self._hearing: Hearing | None = None
        self._broken: str | None = None
        """Why it cannot hear at present, although it could."""
        self._is_muted = parts.is_muted
        self._shown: tuple[LineState, int | None] | None = None
        self._deadline_moved = asyncio.Event()
        self._deadline: float | None = None
        """Until when nothing is due; it may have moved further away since."""
        self._captures = Captures()
        self._voice_began_at: dict[int, float] = {}

    # --- What the rest of the program asks for: see bot.conversation.line_pipeline. --------------

    async def answer(self, pieces: AsyncGenerator[str, None], *, to: int | None) -> Heard:
        """Speak an answer while it is written, and return what was heard of it."""
        return await self._voice.answer(pieces, to=to)

    async def say(self, text: str) -> Heard:
        """Speak a text after what is spoken at present, before anything else."""
        return await self._voice.say(text)

    async def announce(self, make_text: Callable[[], str]) -> Heard:
        """Speak a text in the next pause; cancel it to take it back."""
        return await self._voice.announce(make_text)

    def stop_speech(self) -> None:
        """End what is spoken at present, and what waits of it."""
        self._voice.stop()

    def working_for(self, person_id: int | None) -> None:
        """Know that something is being answered, and whom."""
        self._obey(self._turns.answering(person_id, self._clock()))

    def work_ended(self) -> None:
        """Know that nothing is being answered any more."""
        self._voice.turn_taken_at = None
        self._obey(self._turns.answered(self._clock()))

    def set_mode(self, mode: LineMode) -> None:
        """Take people to talk to the bot in another way from now on."""
        self._obey(self._turns.set_mode(mode))

    def push(self, person_id: int) -> None:
        """Know that somebody has pressed the button to talk."""
        self._obey(self._turns.pushed(person_id, self._clock()))

    def set_muted(self, is_muted: bool) -> None:  # noqa: FBT001 - what it sets is all that it says
        """Listen no more, or again."""
        self._is_muted = is_muted
        if self._hearing is not None:
            self._hearing.set_muted(is_muted)
        self._show_state()

    async def set_voice(self, name: str) -> None:
        """Speak in another voice from the next sentence on.

        Raises:
            EngineError: If there is no such voice.
        """
        await self._parts.voices.use(name)
        await self._parts.clips.prepare()

    def people_changed(self) -> None:
        """Know that somebody came, went, or may do something else than before."""
        here = set(self._link.people)
        for person_id in set(self._voice_began_at) - here:
            del self._voice_began_at[person_id]
        if self._hearing is not None:
            for person_id in set(self._hearing.people) - here:
                self._hearing.left(person_id)
        self._obey(self._turns.people(self._participants()))

    async def heard_from(self, person_id: int) -> str:
        """Return the next thing that somebody says, to the end; it starts nothing else."""
        # What they may be saying already is not told any more: nobody has to wait for its end.
        self._obey(self._turns.heard(VoiceFaded(person_id=person_id, at=self._clock())))
        return await self._captures.next_of(person_id)

    def report(self) -> LineReport:
        """Return how it is doing."""
        parts, engines = self._parts, {"voice": self._parts.voices.name}
        heard = HearingReport() if self._hearing is None else self._hearing.report()
        stages = self._stages.report()
        # One of them hearing measures, too, also of what became no turn.
        measured = {name: stages[name] for name in stages if stages[name].count}
        if parts.models is not None:
            engines["speech to text"] = parts.models.speech_to_text.name
            engines["voice activity"] = parts.models.voice_activity.name
            engines["end of turn"] = parts.models.end_of_turn.name
        return LineReport(
            link=self._link.report(),
            engines=engines,
            stages={**heard.stages, **measured},
            hearing_counts=heard.counts,
            troubles=self._troubles(),
        )

    # --- What runs. ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Hear people, and keep time, until cancelled."""
        self.people_changed()
        models = self._parts.models
        if models is None:
            self._show_state()
            await self._keep_time()
            return
        async with running_hearing(
            models,
            self._parts.pool,
            self._heard_something,
            options=self._parts.hearing,
            clock=self._clock,
            broke=self._broke,
            is_written=self._is_written,
        ) as hearing:
            self._hearing = hearing
            hearing.set_muted(self._is_muted)
            self._link.listen(hearing.packet)
            self._show_state()
            await self._keep_time()

    def close(self) -> None:
        """Do nothing more by itself."""
        self._voice.close()

    async def _keep_time(self) -> None:
        while True:
            self._deadline_moved.clear()
            at = self._deadline = self._turns.next_at
            delay = None if at is None else max(at - self._clock(), 0.0)
            try:
                async with asyncio.timeout(delay):
                    await self._deadline_moved.wait()
            except TimeoutError:
                self._obey(self._turns.passed(self._clock()))

    # --- What is heard. --------------------------------------------------------------------------

    def _heard_something(self, event: HearingEvent) -> None:
        if self._captures.take(event):
            return
        if isinstance(event, VoiceBegan):
            self._voice_began_at[event.person_id] = event.at
        if isinstance(event, UtteranceEnded):
            self._broken = None
        if isinstance(event, VoiceBegan | UtteranceEnded):
            # Asked afresh: a role may have been taken from them a moment ago.
            self._obey(self._turns.people(self._participants()))
        self._obey(self._turns.heard(event))

    def _is_written(self, person_id: int) -> bool:
        if self._parts.turns.transcribe_others:
            return True
        return self._listener.participant(person_id).may_talk

    def _participants(self) -> list[Participant]:
        return [self._listener.participant(person_id) for person_id in self._link.people]

    def _broke(self, error: EngineError) -> None:
        logger.error("the line cannot hear: %s", error)
        self._broken = str(error)
        self._show_state()

    # --- What is decided. ------------------------------------------------------------------------

    def _obey(self, commands: Sequence[LineCommand]) -> None:
        for command in commands:
            self._carry_out(command)
        at, known = self._turns.next_at, self._deadline
        # With each frame of voice it moves further away: that is found out when it has come.
        if at is not None and (known is None or at < known):
            self._deadline_moved.set()
        self._show_state()

    def _carry_out(self, command: LineCommand) -> None:  # noqa: C901 - one case for each
        match command:
            case ListenIn(person_id=person_id):
                if self._hearing is not None:
                    self._hearing.listen_in(person_id)
            case PauseSpeech():
                self._voice.pause()
                self._interrupted()
            case ResumeSpeech():
                self._voice.resume()
            case StopSpeech(by=by, cause=cause):
                self._voice.stop(by)
                self._listener.speech_stopped(by, cause)
            case TakeTurn(turn=turn):
                now = self._voice.turn_taken_at = self._clock()
                self._stages.took(TRANSCRIBED, now - turn.utterance.ended_at)
                self._listener.turn_taken(turn)
            case Overhear(remark=remark):
                self._listener.overheard(remark)
            case CancelWork(by=by):
                self._listener.work_cancelled(by)
            case AnnounceNow():
                self._voice.call_notice()
            case SayFiller():
                self._voice.say_filler()
            case PlayTone():
                self._voice.play_tone()
            case _:
                assert_never(command)

    def _troubles(self) -> tuple[str, ...]:
        now = (self._broken, self._parts.voices.trouble)
        return (*self._parts.troubles, *(trouble for trouble in now if trouble))

    def _show_state(self) -> None:
        state = self._turns.state
        if self._parts.models is None or self._broken is not None:
            state = (LineState.DEAF, None)
        elif self._is_muted and state[0] in {LineState.LISTENING, LineState.HEARING}:
            state = (LineState.MUTED, None)
        if state != self._shown:
            self._shown = state
            self._listener.state_changed(*state)

    def _interrupted(self) -> None:
        now = self._clock()
        newest = max(self._voice_began_at.values(), default=now)
        self._stages.took(INTERRUPTED, now - newest)


@asynccontextmanager
async def open_pipeline(parts: PipelineParts) -> AsyncGenerator[Pipeline, None]:
    """Hear and speak on a link while the block lasts."""
    async with asyncio.TaskGroup() as tasks:
        pipeline = Pipeline(parts)
        running = [
            tasks.create_task(pipeline.run()),
            # Fillers take a while to be made, and the first answer may do without.
            tasks.create_task(parts.clips.prepare()),
        ]
        try:
            yield pipeline
        finally:
            for task in running:
                task.cancel()
            pipeline.close()
            parts.link.drop()
