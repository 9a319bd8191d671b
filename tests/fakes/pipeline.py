"""What hears and speaks on a voice line, without a sound: the test says what is heard."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace

from bot.conversation.line_pipeline import LineOptions
from voice.errors import EngineError
from voice.events import (
    EndReason,
    Heard,
    LineMode,
    LineState,
    Remark,
    SpokenTurn,
    StopCause,
    Utterance,
)
from voice.line_listener import LineListener
from voice.line_report import LineReport
from voice.link import LinkReport, VoiceLink

LINK_REPORT = LinkReport(is_connected=True, is_encrypted=True, transport_mode="aead")


@dataclass(frozen=True)
class FakeVoice:
    name: str
    language: str
    gender: str = "Female"


VOICES = (FakeVoice("en-GB-Sonia", "en-GB"), FakeVoice("de-DE-Katja", "de-DE", ""))


async def list_voices() -> Sequence[FakeVoice]:
    return VOICES


@dataclass
class Speech:
    """An answer that is, or was, spoken."""

    to: int | None
    text: str = ""
    is_over: bool = False


@dataclass
class FakePipeline:
    """Implements `LinePipeline`: what is spoken is heard at once, unless `holds` says otherwise."""

    link: VoiceLink
    listener: LineListener
    options: LineOptions
    speeches: list[Speech] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    announced: list[str] = field(default_factory=list)
    working: list[int | None] = field(default_factory=list)
    """Whom it was ever working for."""
    work_ends: int = 0
    modes: list[LineMode] = field(default_factory=list)
    pushed: list[int] = field(default_factory=list)
    muted: list[bool] = field(default_factory=list)
    voices: set[str] = field(default_factory=lambda: {"en-GB-Sonia"})
    voice: str = "hibari heart"
    can_reach_voices: bool = True
    """Whether a voice that is chosen speaks at once."""
    people_changes: int = 0
    trial: str | None = "One, two, three."
    """What somebody says when they are listened to in a test; `None`: nothing."""
    line_report: LineReport = field(
        default_factory=lambda: LineReport(
            link=LINK_REPORT, engines={"speech to text": "fake ear", "voice": "fake mouth"}
        )
    )
    pause: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while nobody talks: then notices are spoken."""
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while speech gets to its end."""
    finds_voices: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while a voice that is chosen is found at once."""
    looks_for_voice: asyncio.Event = field(default_factory=asyncio.Event)
    is_broken: bool = False
    is_closed: bool = False

    def __post_init__(self) -> None:
        self.pause.set()
        self.goes_on.set()
        self.finds_voices.set()
        self._stopped: list[asyncio.Future[Heard]] = []

    # What the line asks for.

    async def answer(self, pieces: AsyncGenerator[str, None], *, to: int | None) -> Heard:
        if self.is_broken:
            raise RuntimeError("the mouth broke")
        speech = Speech(to)
        self.speeches.append(speech)
        stopped = asyncio.get_running_loop().create_future()
        self._stopped.append(stopped)
        async with asyncio.TaskGroup() as tasks:
            speaking = tasks.create_task(self._speak(speech, pieces, stopped))
            heard: Heard = await stopped
            speaking.cancel()
        speech.is_over = True
        return heard

    async def say(self, text: str) -> Heard:
        self.said.append(text)
        await self.goes_on.wait()
        return Heard(text=text, is_whole=bool(self.link.listeners))

    async def announce(self, make_text: Callable[[], str]) -> Heard:
        await self.pause.wait()
        text = make_text()
        if text:
            self.announced.append(text)
        return Heard(text=text, is_whole=bool(text and self.link.listeners))

    def stop_speech(self) -> None:
        self._stop(Heard(text="", is_whole=False))

    def working_for(self, person_id: int | None) -> None:
        self.working.append(person_id)

    def work_ended(self) -> None:
        self.work_ends += 1

    def set_mode(self, mode: LineMode) -> None:
        self.modes.append(mode)

    def push(self, person_id: int) -> None:
        self.pushed.append(person_id)

    def set_muted(self, is_muted: bool) -> None:  # noqa: FBT001 - as in the interface
        self.muted.append(is_muted)

    async def set_voice(self, name: str) -> None:
        if name not in self.voices:
            raise EngineError(f"there is no voice {name!r}")
        self.looks_for_voice.set()
        await self.finds_voices.wait()
        self.voice = name
        engines = {**self.line_report.engines, "voice": f"fake {name}"}
        if self.can_reach_voices:
            self.line_report = replace(self.line_report, engines=engines)

    def people_changed(self) -> None:
        self.people_changes += 1

    async def heard_from(self, person_id: int) -> str:
        del person_id
        if self.trial is None:
            await asyncio.Event().wait()
        assert self.trial is not None
        return self.trial

    def report(self) -> LineReport:
        return self.line_report

    # What people do.

    def hears(
        self,
        person_id: int,
        text: str,
        *,
        overheard: Sequence[Remark] = (),
        is_merged: bool = False,
    ) -> None:
        """Have somebody say something to the bot."""
        now = asyncio.get_running_loop().time()
        utterance = Utterance(
            person_id=person_id,
            text=text,
            began_at=now,
            ended_at=now,
            committed_at=now,
            voiced_seconds=1.0,
            reason=EndReason.COMPLETE,
        )
        self.listener.turn_taken(
            SpokenTurn(utterance=utterance, overheard=tuple(overheard), is_merged=is_merged)
        )

    def overhears(self, person_id: int, text: str, *, is_of_other: bool = False) -> Remark:
        """Have somebody say something to somebody else."""
        at = asyncio.get_running_loop().time()
        remark = Remark(person_id=person_id, text=text, at=at, is_of_other=is_of_other)
        self.listener.overheard(remark)
        return remark

    def interrupt(self, by: int, heard: str) -> None:
        """Have somebody talk over what is being spoken, when that much of it was heard."""
        self.listener.speech_stopped(by, StopCause.CONTENT)
        self._stop(Heard(text=heard, is_whole=False, interrupted_by=by))

    def is_in(self, state: LineState, person_id: int | None = None) -> None:
        self.listener.state_changed(state, person_id)

    async def _speak(
        self,
        speech: Speech,
        pieces: AsyncGenerator[str, None],
        stopped: "asyncio.Future[Heard]",
    ) -> None:
        async with aclosing(pieces):
            async for piece in pieces:
                speech.text += piece
        await self.goes_on.wait()
        if not stopped.done():
            is_whole = bool(speech.text.strip() and self.link.listeners)
            stopped.set_result(Heard(text=speech.text.strip(), is_whole=is_whole))

    def _stop(self, heard: Heard) -> None:
        for stopped in self._stopped:
            if not stopped.done():
                stopped.set_result(heard)


@dataclass
class PipelineMaker:
    """Opens pipelines, as the program does."""

    made: list[FakePipeline] = field(default_factory=list)
    fault: Exception | None = None
    """Raised in place of the next one."""
    line_report: LineReport | None = None
    """What the next ones say."""
    is_deaf: bool = False
    """Whether the next ones have no models that hear."""

    @asynccontextmanager
    async def open(
        self, link: VoiceLink, listener: LineListener, options: LineOptions
    ) -> AsyncGenerator[FakePipeline, None]:
        if self.fault is not None:
            raise self.fault
        pipeline = FakePipeline(link, listener, options)
        if self.line_report is not None:
            pipeline.line_report = self.line_report
        if self.is_deaf:
            pipeline.line_report = LineReport(link=LINK_REPORT, troubles=("There is no model.",))
            pipeline.is_in(LineState.DEAF)
        self.made.append(pipeline)
        try:
            yield pipeline
        finally:
            pipeline.is_closed = True
            pipeline.stop_speech()
