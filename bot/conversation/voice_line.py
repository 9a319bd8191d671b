"""One voice line: what people say on it becomes turns, and it is set as they wish."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from bot.access import Place
from bot.conversation.background import in_background
from bot.conversation.line_board import LineBoard
from bot.conversation.line_news import LineNews
from bot.conversation.line_opening import greeting, opening_notice
from bot.conversation.line_parts import LineParts
from bot.conversation.line_people import LinePeople
from bot.conversation.line_pipeline import LineOptions, LinePipeline
from bot.conversation.line_speech import AtWork, LineSpeech
from bot.conversation.line_store import KeptLine
from bot.conversation.line_transcript import LineTranscript
from bot.conversation.line_turns import LineTurns, Superseded
from bot.conversation.session import Session
from bot.conversation.transcript import MOST_RECENT, SaidHow
from bot.messenger import MessageContent, MessengerError
from voice.events import LineMode, LineState, Participant, Remark, SpokenTurn, StopCause
from voice.link import VoiceLink

logger = logging.getLogger(__name__)

CANNOT_HEAR = "I cannot hear you at present. The chat says why."

_LOOK_SECONDS = 60.0
"""After so long, it is looked again which roles people have."""


class VoiceLine:
    """Implements `LineListener`. It hears and speaks while `working` lasts."""

    def __init__(self, kept: KeptLine, parts: LineParts) -> None:
        self.kept = kept
        """How it is set."""
        self._parts = parts
        self.people = LinePeople(parts.door, parts.authorize, kept.place, lambda: self.session)
        """Who is there."""
        self.board = LineBoard(
            parts.cards, kept, lambda: self.session_name, keeps=parts.transcripts.days > 0
        )
        """Its status message."""
        self._transcript = LineTranscript(
            parts.transcripts,
            self.board,
            self.people,
            lambda: self.session,
            clock=parts.clock,
            bot_name=parts.config.names[0],
        )
        self.news, superseded = LineNews(), Superseded()
        """What the speaker is told besides the turns."""
        self.speech = LineSpeech(
            f"line {kept.id}",
            people=self.people,
            news=self.news,
            transcript=self._transcript,
            superseded=superseded,
            after_answer=self.look_at_report,
        )
        """What is spoken on it."""
        self._turns = LineTurns(
            parts, self.people, self.news, self.speech.say, self.speech.break_off, superseded
        )
        self._link: VoiceLink | None = None
        self._session_name = "voice line"
        self._posts, self._post_id = 0, parts.new_id()
        self._looked_at = 0.0
        self._known_troubles: tuple[str, ...] = ()

    # --- What it is. ----------------------------------------------------------------------------

    @property
    def place(self) -> Place:
        """The voice channel."""
        return self.kept.place

    @property
    def session(self) -> Session | None:
        """The session that is open there."""
        conversation = self._parts.conversations.in_place(self.place)
        return None if conversation is None else conversation.session

    @property
    def session_name(self) -> str:
        """What the session is called, or was when it was last there."""
        if (session := self.session) is not None:
            self._session_name = session.name
        return self._session_name

    @property
    def options(self) -> LineOptions:
        """How what hears and speaks is set."""
        return LineOptions(
            names=self._parts.config.names,
            mode=self.kept.mode,
            is_muted=self.kept.is_muted,
            voice=self.kept.voice,
        )

    @property
    def is_working(self) -> bool:
        """Whether it hears and speaks at present."""
        return self.speech.at_work is not None

    @property
    def is_deaf(self) -> bool:
        """Whether what hears cannot be used at present."""
        return self.board.state is LineState.DEAF

    @property
    def pipeline(self) -> LinePipeline:
        """What hears and speaks; only while it works."""
        assert self.speech.at_work is not None, "a line that does not work has none"
        return self.speech.at_work.pipeline

    @property
    def link(self) -> VoiceLink:
        """The connection; only once there is one."""
        assert self._link is not None, "its channel was not joined"
        return self._link

    def connect(self, link: VoiceLink) -> None:
        """Use that connection."""
        self._link = link

    @asynccontextmanager
    async def working(self, pipeline: LinePipeline) -> AsyncGenerator[None, None]:
        """Hear and speak while the block lasts."""
        async with in_background(f"line {self.kept.id}") as background:
            self.speech.at_work = AtWork(pipeline, background)
            background.start(self._turns.run)
            try:
                yield
            finally:
                self.speech.at_work = None

    async def end(self) -> None:
        """Have nothing answered any more of what is still said."""
        await self._turns.end()

    async def show(self) -> None:
        """Show its status message from now on, with what was said there before.

        Raises:
            sqlite3.Error: If that cannot be read.
        """
        self.board.open(await self._transcript.newest(MOST_RECENT))
        self.look_at_report()

    # --- What its pipeline tells: see `LineListener`. -------------------------------------------

    def participant(self, person_id: int) -> Participant:
        """Return somebody who is in the channel, with what they may do by now."""
        # Asked when they begin to talk, too: by the end of it, it is known what they may do.
        self._look_again()
        return self.people.participant(person_id)

    def turn_taken(self, turn: SpokenTurn) -> None:
        """Have answered what somebody said."""
        for remark in turn.overheard:
            self.overheard(remark)
        said = turn.utterance
        self._said(said.person_id, said.text, SaidHow.TO_BOT, at=said.began_at)
        self._turns.put(turn)
        self._look_again()

    def overheard(self, remark: Remark) -> None:
        """Keep what somebody said, and not to the bot."""
        if self.news.overheard(remark, self.people.name_of(remark.person_id)):
            how = SaidHow.BY_OTHER if remark.is_of_other else SaidHow.OVERHEARD
            self._said(remark.person_id, remark.text, how, at=remark.at)

    def speech_stopped(self, by: int, cause: StopCause) -> None:
        """Hear that the present answer is not spoken on; what was heard comes with its end."""
        logger.info("line %s: interrupted by %d (%s)", self.kept.id, by, cause.value)

    def work_cancelled(self, by: int) -> None:
        """Stop what is being answered: somebody said so who may talk."""
        logger.info("line %s: cancelled by %d", self.kept.id, by)
        conversation = self._parts.conversations.in_place(self.place)
        if conversation is not None:
            self.speech.start(lambda: self._turns.take_back(by, conversation))

    def state_changed(self, state: LineState, person_id: int | None) -> None:
        """Show what the line does."""
        self.board.does(state, None if person_id is None else self.people.name_of(person_id))
        if state is LineState.DEAF:
            self.look_at_report()

    # --- What people set. -----------------------------------------------------------------------

    async def set_mode(self, mode: LineMode) -> None:
        """Take people to talk to the bot in another way from now on."""
        self.pipeline.set_mode(mode)
        await self._keep(replace(self.kept, mode=mode))

    async def set_muted(self, *, is_muted: bool) -> None:
        """Listen no more, or again."""
        self.pipeline.set_muted(is_muted)
        await self._keep(replace(self.kept, is_muted=is_muted))

    async def set_voice(self, name: str) -> None:
        """Speak in another voice from now on.

        Raises:
            EngineError: If there is no such voice.
        """
        await self.pipeline.set_voice(name)
        # It may have ended meanwhile: what is kept then is a line that a later bot goes on with.
        if self.is_working:
            await self._keep(replace(self.kept, voice=name))

    async def moved_to(self, kept: KeptLine) -> None:
        """Go on in another channel, with another status message."""
        self._parts.voiced.close(self.place)
        self.kept, self.people.place = kept, kept.place
        self._parts.voiced.open(kept.place, self.speech)
        self.board.moved(kept)
        await self._parts.store.save(kept)

    # --- What it does by itself. ----------------------------------------------------------------

    def greet(self) -> None:
        """Say, and post, that it listens; of one that cannot hear, `look_at_report` tells."""
        if not self.is_deaf:
            self.speech.say(greeting(self._parts.config.names[0]))
            self.post_notice()

    def post_notice(self) -> None:
        """Post that it listens, and what is kept of what is said."""
        parts = self._parts
        self.post_soon(
            opening_notice(days=parts.transcripts.days, others=parts.config.transcribe_others)
        )

    async def look(self) -> None:
        """Look who is there by now, and with which roles."""
        self._looked_at = asyncio.get_running_loop().time()
        await self.people.look()
        if self.is_working:
            self.pipeline.people_changed()

    async def post(self, text: str) -> None:
        """Post something in the channel's chat; if Discord does not take it, that is logged."""
        self._posts += 1
        nonce = f"l{self._post_id}-{self._posts}"
        try:
            await self._parts.messenger.post(self.place, MessageContent(text=text), nonce=nonce)
        except MessengerError as error:
            logger.warning("line %s: %s", self.kept.id, error)

    def post_soon(self, text: str) -> None:
        """Do so beside all else; nothing if it is empty."""
        if text:
            self.speech.start(lambda: self.post(text))

    def look_at_report(self) -> None:
        """Show how it is doing; of what does not work, people are told once."""
        if not self.is_working:
            return
        report = self.pipeline.report()
        self.board.reports(report)
        new = [each for each in report.troubles if each not in self._known_troubles]
        self._known_troubles = report.troubles
        if new:
            self.post_soon("\n".join(f"⚠️ {each}" for each in new))
            self.speech.say(CANNOT_HEAR if self.is_deaf else "")

    def _look_again(self) -> None:
        now = asyncio.get_running_loop().time()
        if self.is_working and now - self._looked_at > _LOOK_SECONDS:
            self._looked_at = now
            self.speech.start(self.look)

    async def _keep(self, kept: KeptLine) -> None:
        """Be set so, also for a later bot."""
        self.kept = kept
        self.board.changed(kept)
        await self._parts.store.save(kept)

    def _said(self, person_id: int, text: str, how: SaidHow, *, at: float) -> None:
        line = self._transcript.somebody_said(person_id, text, how, at=at)
        self.speech.start(lambda: self._transcript.keep(line))
