"""All that is spoken on one line, and what the speaker and the transcript are told of it."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from bot.conversation.background import Background, Work
from bot.conversation.line_news import LineNews
from bot.conversation.line_people import LinePeople
from bot.conversation.line_pipeline import LinePipeline
from bot.conversation.line_transcript import LineTranscript
from bot.conversation.line_turns import Superseded
from bot.conversation.spoken_answer import SpokenAnswer
from bot.conversation.transcript import SaidHow
from bot.conversation.turn import Turn
from voice.events import Heard

logger = logging.getLogger(__name__)

UNHEARD = Heard(text="", is_whole=False)

_MOST_WRITTEN_WAITING = 2
"""How many answers to what was written wait to be spoken; more are only written."""


@dataclass(frozen=True, slots=True)
class AtWork:
    """What a line works with."""

    pipeline: LinePipeline
    background: Background


class LineSpeech:
    """Implements `SpeaksAnswers`. While the line does not work, nothing is spoken."""

    def __init__(
        self,
        name: str,
        *,
        people: LinePeople,
        news: LineNews,
        transcript: LineTranscript,
        superseded: Superseded,
        after_answer: Callable[[], None],
    ) -> None:
        """Make it.

        Args:
            name: How the log calls the line.
            people: Who is there.
            news: What the speaker is told besides the turns.
            transcript: What was said.
            superseded: The turns in whose place others were taken.
            after_answer: Called when an answer was spoken.
        """
        self._name = name
        self._people = people
        self._news = news
        self._transcript = transcript
        self._superseded = superseded
        self._after_answer = after_answer
        self.at_work: AtWork | None = None
        """What the line works with, while it does."""
        self._speeches: list[SpokenAnswer] = []
        """What is spoken at present, or waits for that."""
        self._written_waiting = 0
        self._limits: dict[int, asyncio.Timeout] = {}
        """What ends the answer to something that was said, by who is answered."""

    def working_for(self, person_id: int | None) -> None:
        """Know that something is being answered, and whom; `None`: it was asked in writing."""
        if self.at_work is not None:
            self.at_work.pipeline.working_for(person_id)

    def work_ended(self) -> None:
        """Know that nothing more is to be spoken of what was being answered."""
        if self.at_work is not None:
            self.at_work.pipeline.work_ended()

    async def speak(self, answer: SpokenAnswer, *, to: int | None) -> Heard:
        """Speak an answer while it is written; returns when it is over. Never raises."""
        if self.at_work is None:
            return UNHEARD
        self._speeches.append(answer)
        limit = asyncio.timeout(None)
        try:
            async with limit:
                if to is not None:
                    self._limits[to] = limit
                return await self.at_work.pipeline.answer(answer.pieces(), to=to)
        except Exception:  # it is written then
            if not limit.expired():
                logger.exception("%s: an answer could not be spoken", self._name)
            return UNHEARD
        finally:
            answer.was_spoken()
            self._speeches.remove(answer)
            if to is not None:
                self._limits.pop(to, None)

    def break_off(self, to: int) -> None:
        """Speak nothing more of the answer to what somebody said: they have only now ended."""
        limit = self._limits.get(to)
        if limit is not None and not limit.expired():
            limit.reschedule(asyncio.get_running_loop().time())

    def speak_later(self, answer: SpokenAnswer) -> None:
        """Speak an answer to what was written, after what is spoken at present."""
        if self._written_waiting >= _MOST_WRITTEN_WAITING:
            logger.info("%s: an answer is only written, as too many wait", self._name)
        else:
            self.start(lambda: self._speak_written(answer))

    def was_superseded(self, turn: Turn) -> bool:
        """Say whether another turn has taken the place of this one."""
        return self._superseded.has(turn)

    def answered(self, turn: Turn, text: str, heard: Heard, *, is_written: bool) -> None:
        """Know what a turn was answered, and what of that was heard."""
        del turn
        self._tell_speaker(heard, is_written=is_written)
        is_cut = heard.interrupted_by is not None
        self._said(heard.text if is_cut else text, SaidHow.ANSWER, is_cut=is_cut)
        self._after_answer()

    def news(self) -> str:
        """Return what the speaker is to know of what has happened there, each thing once."""
        return self._news.take()

    def hush(self) -> bool:
        """End what is being spoken; `False` if nothing is."""
        if self.at_work is None or not self._speeches:
            return False
        self.at_work.pipeline.stop_speech()
        for answer in self._speeches:
            answer.was_spoken()
        return True

    def say(self, text: str) -> None:
        """Say something of the bot's own, soon; nothing if it is empty."""
        if text:
            self.start(lambda: self.say_now(text))

    def interject(self, text: str) -> None:
        """Say something of the bot's own, also in the middle of an answer that is being written.

        Such an answer keeps the line for itself until it is whole, which may be when a tool has
        come to its end; and that tool may be what this is about.
        """
        present = next((answer for answer in self._speeches if answer.is_going_on), None)
        if present is None:
            self.say(text)
        else:
            present.interject(text)

    async def say_now(self, text: str) -> Heard:
        """Say something, and return what was heard of it."""
        return UNHEARD if self.at_work is None else await self.at_work.pipeline.say(text)

    def dictate(self, text: str) -> None:
        """Say something word for word that somebody wants said, soon."""
        self.start(lambda: self._dictate(text))

    async def announce(self, make_text: Callable[[], str]) -> Heard | None:
        """Speak a notice in the next pause; `None` if the line ended before."""
        if self.at_work is None:
            return None
        heard = await self.at_work.pipeline.announce(make_text)
        if heard.text:
            self._said(heard.text, SaidHow.NOTICE, is_cut=not heard.is_whole)
        return heard

    def start(self, work: Work) -> None:
        """Do something beside all else, while the line works."""
        if self.at_work is not None:
            self.at_work.background.start(work)

    async def _speak_written(self, answer: SpokenAnswer) -> None:
        self._written_waiting += 1
        try:
            self._tell_speaker(await self.speak(answer, to=None), is_written=True)
        finally:
            self._written_waiting -= 1

    async def _dictate(self, text: str) -> None:
        heard = await self.say_now(text)
        self._said(text, SaidHow.DICTATED, is_cut=heard.interrupted_by is not None)

    def _tell_speaker(self, heard: Heard, *, is_written: bool) -> None:
        by = heard.interrupted_by
        interrupter = "" if by is None else self._people.name_of(by)
        self._news.answered(heard, interrupter=interrupter, is_written=is_written)

    def _said(self, text: str, how: SaidHow, *, is_cut: bool) -> None:
        line = self._transcript.bot_said(text, how, is_cut=is_cut)
        self.start(lambda: self._transcript.keep(line))
