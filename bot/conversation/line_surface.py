"""A voice channel as a surface: answers are spoken on its line, and written in its chat."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Protocol

from bot.access import Place
from bot.conversation.draft import Draft
from bot.conversation.session import Session, Streaming
from bot.conversation.spoken_answer import SpokenAnswer
from bot.conversation.surface import AnswerRecord
from bot.conversation.text_chat import TextChat
from bot.conversation.turn import Turn
from bot.conversation.written_down import is_written_down
from bot.messenger import MessageRef
from bot.speaker.sentences import CANCELLED
from bot.speaker.speaker import Failed, SpeakerEvent, Warned
from voice.events import Heard


class SpeaksAnswers(Protocol):
    """A voice line, as far as answers are spoken on it."""

    def working_for(self, person_id: int | None) -> None:
        """Know that something is being answered, and whom; `None`: it was asked in writing."""
        ...

    def work_ended(self) -> None:
        """Know that it is answered."""
        ...

    async def speak(self, answer: SpokenAnswer, *, to: int) -> Heard:
        """Speak an answer while it is written; returns when it is over. Never raises."""
        ...

    def speak_later(self, answer: SpokenAnswer) -> None:
        """Speak an answer to what was written, after what is spoken at present."""
        ...

    def say(self, text: str) -> None:
        """Say a sentence of the bot's own, soon."""
        ...

    def was_superseded(self, turn: Turn) -> bool:
        """Say whether another turn has taken the place of this one."""
        ...

    def answered(self, turn: Turn, text: str, heard: Heard, *, is_written: bool) -> None:
        """Know what a turn was answered, and what of that was heard."""
        ...

    def news(self) -> str:
        """Return what the speaker is to know of what has happened there, each thing once."""
        ...

    def hush(self) -> bool:
        """End what is being spoken; `False` if nothing is."""
        ...


class VoicedPlaces:
    """Knows in which places there is a voice line at present."""

    def __init__(self) -> None:
        self._lines: dict[int, SpeaksAnswers] = {}

    def open(self, place: Place, line: SpeaksAnswers) -> None:
        """Have answers spoken in a place from now on."""
        self._lines[place.channel_id] = line

    def close(self, place: Place) -> None:
        """Have none spoken there any more."""
        self._lines.pop(place.channel_id, None)

    def line_in(self, place: Place) -> SpeaksAnswers | None:
        """Return the line in a place."""
        return self._lines.get(place.channel_id)

    def is_voiced(self, place: Place) -> bool:
        """Say whether there is one."""
        return place.channel_id in self._lines

    def as_held(self, session: Session) -> Session:
        """Return a session whose speaker knows whether it is heard or read in its place."""
        is_spoken = self.is_voiced(session.place)
        if session.knobs.is_spoken == is_spoken:
            return session
        return replace(session, knobs=replace(session.knobs, is_spoken=is_spoken))

    def surface(self, place: Place, chat: TextChat) -> "LineSurface":
        """Return a place as a surface, whether there is a line in it or not."""
        return LineSurface(place, chat, self)


class LineSurface:
    """Speaks answers while a line is open in the place; else it is the chat alone."""

    def __init__(self, place: Place, chat: TextChat, voiced: VoicedPlaces) -> None:
        self._place = place
        self._chat = chat
        self._voiced = voiced

    async def show(
        self,
        turn: Turn,
        answer: AsyncGenerator[SpeakerEvent, None],
        record: AnswerRecord,
        *,
        streaming: Streaming,
    ) -> None:
        """Speak the answer to what was said; write, and speak, that to what was written."""
        line = self._line
        if turn.is_spoken:
            await self._show_aloud(line, turn, answer, record, streaming)
        elif line is None:
            await self._chat.show(turn, answer, record, streaming=streaming)
        else:
            await self._show_in_both(line, turn, answer, record, streaming)

    def news(self) -> str:
        """Return what has happened on the line; see `Surface.news`."""
        return "" if self._line is None else self._line.news()

    def hush(self) -> bool:
        """End what is being spoken on the line; see `Surface.hush`."""
        return False if self._line is None else self._line.hush()

    async def mark_queued(self, ref: MessageRef) -> None:
        """Put the sign of waiting under a message; see `Surface.mark_queued`."""
        await self._chat.mark_queued(ref)

    async def unmark(self, ref: MessageRef) -> None:
        """Take the sign of waiting back; see `Surface.unmark`."""
        await self._chat.unmark(ref)

    @property
    def _line(self) -> SpeaksAnswers | None:
        return self._voiced.line_in(self._place)

    async def _show_aloud(
        self,
        line: SpeaksAnswers | None,
        turn: Turn,
        answer: AsyncGenerator[SpeakerEvent, None],
        record: AnswerRecord,
        streaming: Streaming,
    ) -> None:
        aloud = _Aloud(line, turn)
        card = self._chat.work_card(turn, streaming)
        async with asyncio.TaskGroup() as tasks:
            speaking = tasks.create_task(aloud.speak())
            async with aclosing(answer) as events:
                async for event in events:
                    card.add(event)
                    aloud.add(event)
            aloud.spoken.end()
            await card.end()
        if aloud.finish(speaking.result()):
            await self._chat.write(turn, aloud.draft.text, record)

    async def _show_in_both(
        self,
        line: SpeaksAnswers,
        turn: Turn,
        answer: AsyncGenerator[SpeakerEvent, None],
        record: AnswerRecord,
        streaming: Streaming,
    ) -> None:
        spoken = SpokenAnswer()
        line.working_for(None)
        line.speak_later(spoken)
        try:
            await self._chat.show(turn, _copied(answer, spoken), record, streaming=streaming)
        finally:
            spoken.end()
            line.work_ended()


class _Aloud:
    """An answer to something that was said."""

    def __init__(self, line: SpeaksAnswers | None, turn: Turn) -> None:
        self._line = line
        self._turn = turn
        self._is_warned = False
        self._is_cancelled = False
        self.draft = Draft()
        self.spoken = SpokenAnswer()

    async def speak(self) -> Heard:
        """Speak it while it is written."""
        if self._line is None:
            return Heard(text="", is_whole=False)
        person_id = self._turn.people[0].id
        self._line.working_for(person_id)
        try:
            return await self._line.speak(self.spoken, to=person_id)
        finally:
            self._line.work_ended()

    def add(self, event: SpeakerEvent) -> None:
        """Take what the speaker said or did next."""
        self.draft.add(event)
        self._is_warned |= isinstance(event, Warned)
        if not isinstance(event, Failed):
            self.spoken.add(event)
            return
        self._is_cancelled = event.sentence == CANCELLED
        if self._line is None or self._line.was_superseded(self._turn):
            return
        if self.spoken.is_over:
            # It was interrupted, but nobody may wait for what does not come.
            self._line.say(event.sentence)
        else:
            self.spoken.add(event)

    def finish(self, heard: Heard) -> bool:
        """Tell the line what was heard, and say whether the answer is to be written besides."""
        if self._line is not None and self._line.was_superseded(self._turn):
            return False
        text = self.draft.text
        is_written = bool(self.spoken.text.strip()) and is_written_down(
            text, heard, came_late=self.spoken.came_late, is_warned=self._is_warned
        )
        is_written = is_written and not self._is_cancelled
        if self._line is not None:
            self._line.answered(self._turn, text, heard, is_written=is_written)
        return is_written


async def _copied(
    answer: AsyncGenerator[SpeakerEvent, None], spoken: SpokenAnswer
) -> AsyncGenerator[SpeakerEvent, None]:
    async with aclosing(answer) as events:
        async for event in events:
            spoken.add(event)
            yield event
