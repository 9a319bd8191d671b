"""The voice lines that are open, one in a server: opening, finding and ending them."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from bot.access import Action, Allowed, Person, Place
from bot.conversation.conversation import Conversation
from bot.conversation.line_parts import LineParts
from bot.conversation.line_restoring import finish_kept
from bot.conversation.line_store import KeptLine
from bot.conversation.line_table import (
    CameBack,
    HungUp,
    LineEvent,
    NobodyLeft,
    NotRejoined,
    PipelineBroke,
    SessionTaken,
    join_refusal,
)
from bot.conversation.open_line import OpenLine
from bot.conversation.session import Session
from bot.conversation.voice_line import VoiceLine
from bot.voice_door import VoiceJoinError
from voice.events import Heard, LineMode

logger = logging.getLogger(__name__)

Begin = Callable[[], Awaitable[Conversation | None]]
"""Opens the conversation of a line, in its channel; `None` if that is not possible any more."""

ONE_ALREADY = "I am on a voice line in this server already: `/hangup` ends it."


class Lines:
    """The open lines. Get them from `open_lines`. Implements `SpeaksNotices`, `AsksAloud`."""

    def __init__(self, parts: LineParts, tasks: asyncio.TaskGroup) -> None:
        self._parts = parts
        self._tasks = tasks
        self._open: dict[int, OpenLine] = {}
        """By the server."""
        self._newest: dict[int, OpenLine] = {}
        """By the server, open or not: the next one waits until it has left."""
        self._owed: list[KeptLine] = []
        """Those of an earlier bot that are still to be gone on with."""
        self._cut_off = frozenset[int]()
        """The channels in which an earlier bot has left something unanswered."""
        self._running: set[asyncio.Task[None]] = set()
        self._opening: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    # --- Finding them. --------------------------------------------------------------------------

    @property
    def missing(self) -> str | None:
        """Why there is no voice here, as a sentence; `None` if there is."""
        return self._parts.missing if self._parts.open_pipeline is None else None

    def channel_of(self, person: Person, guild_id: int | None) -> Place | None:
        """Return the voice channel of a server that somebody is in."""
        return None if guild_id is None else self._parts.door.where_is(person.id, guild_id)

    def line_in(self, guild_id: int | None) -> VoiceLine | None:
        """Return the line of a server."""
        found = None if guild_id is None else self._open.get(guild_id)
        return None if found is None else found.line

    def place_in(self, guild_id: int | None) -> Place | None:
        """Return where the line of a server is."""
        line = self.line_in(guild_id)
        return None if line is None else line.place

    def line_at(self, place: Place) -> VoiceLine | None:
        """Return the line that is open in that very channel."""
        line = self.line_in(place.guild_id)
        return line if line is not None and line.place.channel_id == place.channel_id else None

    def is_open_in(self, place: Place) -> bool:
        """Say whether a line is open in that very channel, or will be in a moment."""
        is_owed = any(kept.place.channel_id == place.channel_id for kept in self._owed)
        return is_owed or self.line_at(place) is not None

    # --- Opening and ending them. ---------------------------------------------------------------

    async def open(self, channel: Place, begin: Begin) -> VoiceLine | str | None:
        """Open a line in a voice channel of a server in which there is none.

        Args:
            channel: Where.
            begin: Opens its conversation, once people there can be heard.

        Returns:
            The line; why there is none, as a sentence; or `None` if `begin` gave none.

        Raises:
            sqlite3.Error: If it cannot be stored; there is no line then.
        """
        parts = self._parts
        kept = KeptLine(
            id=parts.new_id(),
            place=channel,
            mode=LineMode(parts.config.mode),
            opened_at=parts.clock(),
        )
        try:
            opened = await self._open_kept(kept, begin)
        except VoiceJoinError as error:
            return join_refusal(error.trouble, channel, error.detail)
        if not isinstance(opened, OpenLine):
            return opened
        opened.line.greet()
        return opened.line

    async def hang_up(self, place: Place) -> Session | None:
        """End the line in a channel, and its conversation; returns the session."""
        return await self._end(place, HungUp())

    async def was_taken(self, place: Place, taken_to: Place) -> None:
        """End the line in a channel whose session goes on elsewhere, if there is one."""
        if self._parts.conversations.in_place(place) is None:
            await self._end(place, SessionTaken(place=taken_to))

    async def recall(self) -> None:
        """Look which lines an earlier bot held; what is kept for too long is forgotten.

        Raises:
            sqlite3.Error: If that cannot be read.
        """
        self._cut_off = await self._parts.messages.cut_off()
        await self._parts.transcripts.forget_old(now=self._parts.clock())
        self._owed = await self._parts.store.all()

    async def go_on(self) -> None:
        """Go on with those lines, as soon as people can be heard."""
        await self._parts.ready.wait()
        for kept in tuple(self._owed):
            try:
                await self._go_on_with(kept)
            except Exception:
                logger.exception("line %s: it could not be gone on with", kept.id)
            self._owed.remove(kept)

    def stop(self) -> None:
        """Leave all channels; a later bot goes on there."""
        for task in tuple(self._running):
            task.cancel()

    # --- For notices: see `SpeaksNotices`. ------------------------------------------------------

    def session_in(self, place: Place) -> str | None:
        """Return the id of the session whose line is open in that very voice channel."""
        line = self.line_at(place)
        session = None if line is None else line.session
        return None if session is None else session.id

    def people(self, session_id: str) -> Sequence[Person]:
        """Return who is in the line's voice channel at this moment, bots left out."""
        opened = self._of_session(session_id)
        return () if opened is None else opened.line.people.present

    async def announce(self, session_id: str, make_text: Callable[[], str]) -> Heard | None:
        """Speak a notice in the next pause; see `SpeaksNotices.announce`."""
        opened = self._of_session(session_id)
        if opened is None:
            return None
        return await opened.unless_it_ends(lambda: opened.line.speech.announce(make_text))

    def told(self, session_id: str, note: str) -> None:
        """Have the speaker of a session know what was said; see `SpeaksNotices.told`."""
        if (opened := self._of_session(session_id)) is not None:
            opened.line.news.told(note)

    # --- For questions: see `AsksAloud`. --------------------------------------------------------

    def say(self, session_id: str, text: str) -> None:
        """Say something, also in the middle of an answer; see `AsksAloud.say`."""
        if (opened := self._of_session(session_id)) is not None:
            opened.line.speech.interject(text)

    async def heard_from(self, session_id: str, person_id: int) -> str | None:
        """Return the next thing that somebody says; see `AsksAloud.heard_from`."""
        opened = self._of_session(session_id)
        if opened is None or not opened.line.is_working:
            return None
        pipeline = opened.line.pipeline
        return await opened.unless_it_ends(lambda: pipeline.heard_from(person_id))

    # --- Inside. --------------------------------------------------------------------------------

    def _of_session(self, session_id: str) -> OpenLine | None:
        for opened in self._open.values():
            session = opened.line.session
            if session is not None and session.id == session_id:
                return opened
        return None

    async def _open_kept(self, kept: KeptLine, begin: Begin) -> OpenLine | str | None:
        """Open a line as it is kept.

        Raises:
            VoiceJoinError: If its channel cannot be joined.
            sqlite3.Error: If it cannot be stored.
        """
        guild_id, open_pipeline = kept.place.guild_id, self._parts.open_pipeline
        assert guild_id is not None, "voice channels are in servers"
        if open_pipeline is None:
            return self._parts.missing
        async with self._opening[guild_id]:
            if guild_id in self._open:
                return ONE_ALREADY
            if (before := self._newest.get(guild_id)) is not None:
                await before.is_over.wait()
            opened = OpenLine(kept, self._parts)
            opened.line.connect(await self._parts.door.join(kept.place, opened.life.tell))
            self._newest[guild_id] = opened
            task = self._tasks.create_task(opened.hold(open_pipeline))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
            opened.when_over(lambda: self._open.pop(guild_id, None))
            result = await opened.begin(begin)
            if opened.is_over.is_set():
                return opened.trouble
            if isinstance(result, OpenLine):
                self._open[guild_id] = opened
            return result

    async def _end(self, place: Place, event: LineEvent) -> Session | None:
        opened = None if place.guild_id is None else self._open.get(place.guild_id)
        if opened is None or opened.line.place.channel_id != place.channel_id:
            return None
        opened.life.tell(event)
        await opened.is_over.wait()
        return opened.last_session

    async def _go_on_with(self, kept: KeptLine) -> None:
        parts = self._parts
        people = await parts.door.people_in(kept.place)
        able = [each for each in people if self._may_talk(each, kept.place)]
        if not able:
            await finish_kept(kept, NobodyLeft(), parts)
            return

        async def begin() -> Conversation:
            conversation, _ = await parts.conversations.open(kept.place, able[0])
            return conversation

        try:
            opened = await self._open_kept(kept, begin)
        except VoiceJoinError as error:
            await finish_kept(kept, NotRejoined(trouble=error.trouble, detail=error.detail), parts)
            return
        if isinstance(opened, OpenLine):
            was_answering = kept.place.channel_id in self._cut_off
            opened.life.tell(CameBack(was_answering=was_answering))
        elif opened != ONE_ALREADY:
            await finish_kept(kept, PipelineBroke(sentence=opened or ""), parts)

    def _may_talk(self, person: Person, place: Place) -> bool:
        return isinstance(self._parts.authorize([person], Action.TALK, place), Allowed)


@asynccontextmanager
async def open_lines(parts: LineParts) -> AsyncGenerator[Lines, None]:
    """Hold the lines that were open when the bot stopped, and those opened from now on.

    Leaving the block leaves all voice channels; a later bot goes on there.

    Raises:
        sqlite3.Error: If it cannot be read which there were.
    """
    async with asyncio.TaskGroup() as tasks:
        lines = Lines(parts, tasks)
        await lines.recall()
        going_on = tasks.create_task(lines.go_on())
        try:
            yield lines
        finally:
            going_on.cancel()
            lines.stop()
