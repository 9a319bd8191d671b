"""The conversations that are open: opening, finding, moving and closing them."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from bot.access import Person, Place
from bot.conversation.conversation import Conversation
from bot.conversation.conversation_parts import ConversationParts
from bot.conversation.new_sessions import NewSessions
from bot.conversation.session import Notify, Session, Streaming
from bot.conversation.store import SessionStore
from bot.speaker.speaker import Knobs

logger = logging.getLogger(__name__)

_BROKEN_SECONDS = 0.5
"""How long a conversation rests that broke."""


class Conversations:
    """The open conversations, one in a channel. Get them from `open_conversations`."""

    def __init__(
        self, store: SessionStore, tasks: asyncio.TaskGroup, parts: ConversationParts
    ) -> None:
        self._store = store
        self._tasks = tasks
        self._parts = parts
        self._new = NewSessions(store, parts)
        self._open: dict[int, tuple[Conversation, asyncio.Task[None]]] = {}
        self._own_threads: frozenset[int] = frozenset()
        # Two messages that come at once must not open two conversations in one channel.
        self._opening = asyncio.Lock()

    def __len__(self) -> int:
        return len(self._open)

    @property
    def places(self) -> list[Place]:
        """Where conversations are open."""
        return [conversation.session.place for conversation, _ in self._open.values()]

    def in_place(self, place: Place) -> Conversation | None:
        """Return the conversation that is open in `place`."""
        entry = self._open.get(place.channel_id)
        return entry[0] if entry else None

    def of_session(self, session_id: str) -> Conversation | None:
        """Return the open conversation of that session."""
        for conversation, _ in self._open.values():
            if conversation.session.id == session_id:
                return conversation
        return None

    def owns_thread(self, channel_id: int) -> bool:
        """Say whether that is a thread that was opened for a session."""
        return channel_id in self._own_threads

    async def open(
        self,
        place: Place,
        person: Person,
        *,
        new: bool = False,
        name: str | None = None,
        knobs: Knobs | None = None,
        streaming: Streaming = Streaming.OFF,
        in_own_thread: bool = False,
    ) -> tuple[Conversation, bool]:
        """Return the conversation in `place`, and whether it was opened just now.

        If none is open there, the session that was last open there goes on.

        Args:
            place: Where.
            person: Who wants it; a fresh session is theirs.
            new: Whether to begin afresh: what is open there is ended first.
            name: What a fresh session is to be called, if nothing else is; else by the time.
            knobs: How a fresh session is set.
            streaming: How much of the work a fresh session shows.
            in_own_thread: Whether `place` is a thread that was opened for this session.
        """
        # What is open does not wait until another one has ended, which takes a while.
        here = None if new else self.in_place(place)
        if here is not None and here.session.is_open:
            return here, False
        async with self._telling_ended() as ended, self._opening:
            if not new and (conversation := self.in_place(place)) is not None:
                return conversation, False
            ended.append(await self._put_down(place.channel_id))
            last = None if new else await self._store.newest_in_channel(place.channel_id)
            if last is not None:
                session = last.opened(place, at=self._parts.clock())
            else:
                session = replace(
                    await self._new.fresh(place, person, name),
                    knobs=knobs or Knobs(),
                    streaming=streaming,
                    has_own_thread=in_own_thread or self.owns_thread(place.channel_id),
                )
            return await self._pick_up(session), True

    async def resume(
        self, session_id: str, place: Place, *, may_change: Callable[[Session], bool]
    ) -> Conversation | None:
        """Go on with a session in `place`, and end what is open there, and it where else it is.

        Args:
            session_id: Which session.
            place: Where.
            may_change: Says of that session, and of one that is ended for it, whether whoever
                wants this may do so. If not, or if there is no such session, nothing is done.

        Returns:
            The conversation; `None` if nothing was done.
        """
        async with self._telling_ended() as ended, self._opening:
            here, there = self.in_place(place), self.of_session(session_id)
            if here is not None and here is there:
                return here
            session = await self._store.find(session_id) if there is None else there.session
            affected = [session, *([here.session] if here is not None else [])]
            if not all(one is not None and may_change(one) for one in affected):
                return None
            for one in (here, there):
                if one is not None:
                    ended.append(await self._put_down(one.session.place.channel_id))
            session = there.session if there is not None else session
            assert session is not None
            session = await self._new.named_there(session.opened(place, at=self._parts.clock()))
            return await self._pick_up(session)

    async def move(self, conversation: Conversation, place: Place) -> bool:
        """Hold a conversation elsewhere in its server from now on, with all that waits in it.

        Returns:
            `False` if it was ended before, or another one is open there; nothing is done then.
        """
        async with self._opening:
            old, at = conversation.session.place, self._parts.clock()
            if self.in_place(old) is not conversation or self.in_place(place) is not None:
                return False
            await self._store.save(conversation.session.opened(place, at=at))
            # As it is by now: while it was stored, it may have been changed.
            session = conversation.session.opened(place, at=at)
            self._open[place.channel_id] = self._open.pop(old.channel_id)
            conversation.move(session, self._parts.make_surface(place))
            self._parts.changed(session)
        return True

    async def close(self, place: Place) -> Session | None:
        """End the conversation in `place`; returns its session, or `None` if there was none.

        Those who were not answered yet are told that they will not be.
        """
        async with self._telling_ended() as ended, self._opening:
            conversation = await self._put_down(place.channel_id)
            ended.append(conversation)
        return None if conversation is None else conversation.session

    async def change(self, conversation: Conversation, session: Session) -> bool:
        """Make `session` that of the conversation, and store it; `False` if it was ended before.

        Other knobs hold from the next answer on.
        """
        if not conversation.session.is_open:
            return False
        knobs_changed = session.knobs != conversation.session.knobs
        conversation.session = session
        if knobs_changed:
            conversation.change(session.knobs)
        self._parts.changed(session)
        await self._store.save(session)
        return True

    async def rename(self, conversation: Conversation, name: str) -> bool:
        """Call the session of a conversation `name`, or what is free; `False` if it was ended."""
        async with self._opening:
            session = await self._new.named_there(replace(conversation.session, name=name))
            # As it is by now: while the names were looked up, it may have been changed.
            renamed = replace(conversation.session, name=session.name)
            return await self.change(conversation, renamed)

    async def set_notify(self, conversation: Conversation, notify: Notify) -> bool:
        """Switch a conversation's notices on or off; `False` if it was ended before."""
        return await self.change(conversation, conversation.session.notifying(notify))

    async def free_name(self, place: Place, person: Person, wanted: str | None) -> str:
        """Return what a fresh session of that person would be called in `place`."""
        return await self._new.free_name(place, person, wanted)

    async def restore(self) -> None:
        """Hold the conversations that were open when the bot stopped."""
        for session in await self._store.open_ones():
            self._hold(session)
        self._own_threads = await self._store.own_threads()

    def stop(self) -> None:
        """End every conversation's task; what is saved stays as it is."""
        for _, task in self._open.values():
            task.cancel()

    async def _pick_up(self, session: Session) -> Conversation:
        await self._store.save(session)
        self._own_threads = await self._store.own_threads()
        return self._hold(session)

    def _hold(self, session: Session) -> Conversation:
        """Hold a session's conversation; no process is started before it is needed."""
        session = self._parts.as_held(session)

        def claude_session_began(claude_session_id: str) -> None:
            conversation.session = conversation.session.spoken(
                at=self._parts.clock(), claude_session_id=claude_session_id
            )
            self._tasks.create_task(self._save(conversation))

        conversation = self._parts.conversation(session, claude_session_began)
        task = self._tasks.create_task(_kept_running(conversation))
        self._open[session.place.channel_id] = (conversation, task)
        self._parts.changed(session)
        return conversation

    async def _put_down(self, channel_id: int) -> Conversation | None:
        """End what is open in a channel, and return it: those who wait are not told yet."""
        entry = self._open.get(channel_id)
        if entry is None:
            return None
        conversation, task = entry
        # Stored first: what is closed must not come back if the bot ends right now.
        stored = conversation.session = conversation.session.closed()
        try:
            await self._store.save(stored)
        except sqlite3.Error:
            conversation.session = replace(conversation.session, is_open=True)
            raise
        del self._open[channel_id]
        task.cancel()
        await asyncio.wait([task])
        if conversation.session != stored:  # its last turn has just begun
            await self._store.save(conversation.session)
        self._parts.changed(conversation.session)
        return conversation

    @asynccontextmanager
    async def _telling_ended(self) -> AsyncGenerator[list[Conversation | None], None]:
        """Yield a list; those that are put on it are told at last, also if something failed."""
        ended: list[Conversation | None] = []
        try:
            yield ended
        finally:
            for conversation in ended:
                if conversation is not None:
                    await conversation.part()

    async def _save(self, conversation: Conversation) -> None:
        if not conversation.session.is_open:
            return  # stored by whoever closed it; by now it may be open elsewhere
        try:
            # As it is by now: it may have changed since this was asked for, and been saved.
            await self._store.save(conversation.session)
        except Exception:
            # It is saved again with its next turn; that is no reason to end everything.
            logger.exception("session %s: cannot be saved", conversation.session.id)


async def _kept_running(conversation: Conversation) -> None:
    """Run a conversation until cancelled; one that breaks goes on, and ends no other."""
    while True:
        try:
            await conversation.run()
        except Exception:
            logger.exception("session %s: its conversation broke", conversation.session.id)
        # What breaks again and again must not keep everything else from going on.
        await asyncio.sleep(_BROKEN_SECONDS)


@asynccontextmanager
async def open_conversations(
    store: SessionStore, parts: ConversationParts
) -> AsyncGenerator[Conversations, None]:
    """Hold the conversations that were open when the bot stopped, and those opened from now on.

    Leaving the block ends their speakers; the sessions stay open, to be held again next time.
    """
    async with asyncio.TaskGroup() as tasks:
        conversations = Conversations(store, tasks, parts)
        await conversations.restore()
        try:
            yield conversations
        finally:
            conversations.stop()
