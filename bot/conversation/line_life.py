"""Follows what happens to one voice line, until it ends."""

import asyncio
import logging
from dataclasses import replace

from bot.access import Place
from bot.conversation.line_parts import LineParts
from bot.conversation.line_table import AloneTooLong, LineEvent, Situation, Step, Then, step_after
from bot.conversation.voice_line import VoiceLine
from bot.voice_door import CameIn, Interrupted, Moved, Restored, WentOut

logger = logging.getLogger(__name__)

_MOST_WAITING = 1_000


class LineLife:
    """Does what `line_table` says. Run it once the line works."""

    def __init__(self, line: VoiceLine, parts: LineParts) -> None:
        self._line = line
        self._parts = parts
        self._events: asyncio.Queue[LineEvent] = asyncio.Queue(_MOST_WAITING)
        self._alone_since: float | None = None
        """Of the loop's clock."""
        self._away_since: float | None = None

    def tell(self, event: LineEvent) -> None:
        """Hear what has happened; who is there is known at once."""
        if isinstance(event, CameIn | WentOut):
            self._line.people.hear_of(event)
        if isinstance(event, Interrupted):
            self._away_since = _now()
        try:
            self._events.put_nowait(event)
        except asyncio.QueueFull:
            logger.warning("line %s: too much happens at once", self._line.kept.id)

    async def run(self) -> str:
        """Follow it; returns why the line has ended, as a sentence, or empty if nobody asks."""
        self._look_for_people()
        while True:
            event = await self._next()
            step = await self._step_after(event)
            await self._act(event, step)
            if step.then is Then.END:
                return step.written

    async def _next(self) -> LineEvent:
        alone_seconds = self._parts.config.alone_minutes * 60
        try:
            async with asyncio.timeout_at(
                None if self._alone_since is None else self._alone_since + alone_seconds
            ):
                return await self._events.get()
        except TimeoutError:
            return AloneTooLong(seconds=alone_seconds)

    async def _step_after(self, event: LineEvent) -> Step:
        situation = Situation(session=self._line.session_name)
        if isinstance(event, Restored) and self._away_since is not None:
            situation = replace(situation, away_seconds=_now() - self._away_since)
        if isinstance(event, Moved):
            situation = replace(situation, is_free=await self._was_followed(event.place))
        return step_after(event, situation)

    async def _was_followed(self, place: Place) -> bool:
        """Have the conversation go on there; `False` if another one is open there."""
        if place == self._line.place:
            return True
        conversations = self._parts.conversations
        conversation = conversations.in_place(self._line.place)
        if conversation is None:
            return conversations.in_place(place) is None
        return await conversations.move(conversation, place)

    async def _act(self, event: LineEvent, step: Step) -> None:
        line = self._line
        match step.then:
            case Then.LOOK:
                await self._look(event)
            case Then.WAIT:
                line.board.is_away(is_away=True)
            case Then.FOLLOW:
                await self._follow(event)
            case Then.GO_ON | Then.END:
                pass
        if step.then is not Then.END:
            line.speech.say(step.spoken)
            line.post_soon(step.written)

    async def _look(self, event: LineEvent) -> None:
        if isinstance(event, Restored):
            self._away_since = None
            self._line.board.is_away(is_away=False)
            # Who came and went meanwhile was not told.
            self._line.speech.start(self._line.look)
        self._line.pipeline.people_changed()
        self._look_for_people()

    async def _follow(self, event: LineEvent) -> None:
        assert isinstance(event, Moved), "only who was moved follows"
        if event.place != self._line.place:
            kept = replace(self._line.kept, id=self._parts.new_id(), place=event.place)
            await self._line.moved_to(kept)
            self._line.post_notice()
        await self._line.look()
        self._look_for_people()

    def _look_for_people(self) -> None:
        """Begin, or end, the time that the bot is alone."""
        if self._line.link.people:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = _now()


def _now() -> float:
    return asyncio.get_running_loop().time()
