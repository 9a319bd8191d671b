"""One voice line from its opening to its end: who owns its pipeline, and cleans up after it."""

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.conversation.conversation import Conversation
from bot.conversation.line_life import LineLife
from bot.conversation.line_opening import sentence_of
from bot.conversation.line_parts import LineParts
from bot.conversation.line_pipeline import OpenPipeline
from bot.conversation.line_store import KeptLine
from bot.conversation.line_table import HungUp, PipelineBroke, Situation, step_after
from bot.conversation.session import Session
from bot.conversation.voice_line import VoiceLine

logger = logging.getLogger(__name__)

T = TypeVar("T")

_LEAVING_SECONDS = 3.0


class OpenLine:
    """Holds one line. `hold` runs in a task of its own, `begin` is called beside it."""

    def __init__(self, kept: KeptLine, parts: LineParts) -> None:
        self._parts = parts
        self.line = VoiceLine(kept, parts)
        self.life = LineLife(self.line, parts)
        self.is_over = asyncio.Event()
        """Set once it has ended, and the channel is left."""
        self._last_session: Session | None = None
        self._is_put_down = False
        self._works = asyncio.Event()
        """Set once people can be heard, or it is known that they cannot."""
        self._begun = asyncio.Event()
        """Set once its conversation is open, or it is known that none will be."""
        self._has_conversation = False
        self._trouble = ""
        self._when_over: Callable[[], object] = lambda: None
        self._limits: set[asyncio.Timeout] = set()

    @property
    def last_session(self) -> Session | None:
        """What was held on it, once it has ended."""
        return self._last_session

    @property
    def trouble(self) -> str:
        """Why people cannot be heard, as a sentence; empty if they can."""
        return self._trouble

    def when_over(self, tell: Callable[[], object]) -> None:
        """Have this called as soon as it has ended."""
        self._when_over = tell

    async def hold(self, open_pipeline: OpenPipeline) -> None:
        """Hear and speak until the line ends; leaves the channel in any case."""
        line, why = self.line, ""
        try:
            async with (
                open_pipeline(line.link, line, line.options) as pipeline,
                line.working(pipeline),
            ):
                await line.look()
                self._works.set()
                await self._begun.wait()
                if self._has_conversation:
                    await line.show()
                why = await self.life.run()
                await self._put_down(why)
        except Exception as error:
            logger.exception("line %s: it broke", line.kept.id)
            self._trouble = sentence_of(error)
            why = step_after(PipelineBroke(sentence=self._trouble), Situation()).written
            await self._put_down(why)
        finally:
            await self._leave()
        if self._has_conversation and why:
            await line.post(why)

    async def begin(
        self, begin: Callable[[], Awaitable[Conversation | None]]
    ) -> "OpenLine | str | None":
        """Open its conversation as soon as people can be heard.

        Returns:
            This; why people cannot be heard, as a sentence; or `None` if there is no conversation.

        Raises:
            sqlite3.Error: If it cannot be stored; it ends then.
        """
        try:
            await self._works.wait()
            if self.is_over.is_set() or self._trouble:
                return self._trouble
            conversation = await self._with_conversation(begin)
        finally:
            # Also if whoever wanted it does not wait any longer.
            if not self._has_conversation:
                self.life.tell(HungUp())
            self._begun.set()
        return None if conversation is None else self

    async def unless_it_ends(self, work: Callable[[], Awaitable[T]]) -> T | None:
        """Return what `work` gives; `None` if the line ends before."""
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._limits.add(limit)
                return await work()
        except TimeoutError:
            if not limit.expired():
                raise
            return None
        finally:
            self._limits.discard(limit)

    async def _with_conversation(
        self, begin: Callable[[], Awaitable[Conversation | None]]
    ) -> Conversation | None:
        parts, line = self._parts, self.line
        parts.voiced.open(line.place, line.speech)
        try:
            conversation = await begin()
            if conversation is None:
                return None
            await parts.store.save(line.kept)
            held = parts.voiced.as_held(conversation.session)
            if held != conversation.session:
                await parts.conversations.change(conversation, held)
            self._has_conversation = True
        finally:
            if not self._has_conversation:
                parts.voiced.close(line.place)
        return conversation

    async def _put_down(self, why: str) -> None:
        """End its conversation, and show that it has ended."""
        line, parts = self.line, self._parts
        self._when_over()
        for limit in tuple(self._limits):
            if not limit.expired():
                limit.reschedule(asyncio.get_running_loop().time())
        if self._is_put_down or not self._has_conversation:
            return
        self._is_put_down = True
        await line.end()
        line.board.end(why)
        parts.voiced.close(line.place)
        assert line.place.guild_id is not None, "voice channels are in servers"
        try:
            self._last_session = await parts.conversations.close(line.place)
            await parts.store.forget(line.place.guild_id)
        except (sqlite3.Error, OSError):
            logger.exception("line %s: its end is not stored", line.kept.id)

    async def _leave(self) -> None:
        line = self.line
        assert line.place.guild_id is not None, "voice channels are in servers"
        self._when_over()
        if self._has_conversation and not self._is_put_down:
            self._parts.voiced.close(line.place)
        self._works.set()
        try:
            async with asyncio.timeout(_LEAVING_SECONDS):
                await self._parts.door.leave(line.place.guild_id)
        except TimeoutError:
            logger.warning("line %s: its channel could not be left in time", line.kept.id)
        finally:
            self.is_over.set()
