"""The conversations that are open: opening, finding and closing them."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from bot.access import Person, Place
from bot.conversation.conversation import Conversation, TurnLog
from bot.conversation.session import Notify, Session, session_name
from bot.conversation.store import SessionStore
from bot.conversation.surface import Surface
from bot.speaker.speaker import Speaker

logger = logging.getLogger(__name__)

ClaudeSessionBegan = Callable[[str], None]
"""Called with the id under which Claude keeps a session, once it does."""


class Conversations:
    """The open conversations, one in a channel. Get them from `open_conversations`."""

    def __init__(
        self,
        store: SessionStore,
        turns: TurnLog,
        tasks: asyncio.TaskGroup,
        *,
        make_speaker: Callable[[Session, ClaudeSessionBegan], Speaker],
        make_surface: Callable[[Place], Surface],
        clock: Callable[[], float],
        new_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._turns = turns
        self._tasks = tasks
        self._make_speaker = make_speaker
        self._make_surface = make_surface
        self._clock = clock
        self._new_id = new_id
        self._open: dict[int, tuple[Conversation, asyncio.Task[None]]] = {}
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

    async def open(self, place: Place, person: Person) -> tuple[Conversation, bool]:
        """Return the conversation in `place`, and whether it was opened just now."""
        async with self._opening:
            if (conversation := self.in_place(place)) is not None:
                return conversation, False
            now = self._clock()
            session = Session(
                id=self._new_id(),
                name=session_name(at=now),
                place=place,
                opened_by=person.id,
                created_at=now,
                last_active_at=now,
            )
            await self._store.save(session)
            return self.resume(session), True

    def resume(self, session: Session) -> Conversation:
        """Hold a session's conversation again; no process is started before it is needed."""

        def claude_session_began(claude_session_id: str) -> None:
            conversation.session = conversation.session.spoken(
                at=self._clock(), claude_session_id=claude_session_id
            )
            self._tasks.create_task(self._save(conversation))

        conversation = Conversation(
            session,
            self._make_speaker(session, claude_session_began),
            self._make_surface(session.place),
            self._turns,
            self._clock,
        )
        task = self._tasks.create_task(conversation.run())
        self._open[session.place.channel_id] = (conversation, task)
        return conversation

    async def close(self, place: Place) -> Session | None:
        """End the conversation in `place`; returns its session, or `None` if there was none.

        Those who were not answered yet are told that they will not be.
        """
        async with self._opening:
            entry = self._open.get(place.channel_id)
            if entry is None:
                return None
            conversation, task = entry
            # Stored first: what is closed must not come back if the bot ends right now.
            conversation.session = conversation.session.closed()
            await self._store.save(conversation.session)
            del self._open[place.channel_id]
            task.cancel()
            await asyncio.wait([task])
        await conversation.part()
        return conversation.session

    async def set_notify(self, conversation: Conversation, notify: Notify) -> None:
        """Switch a conversation's notices on or off."""
        conversation.session = conversation.session.notifying(notify)
        await self._store.save(conversation.session)

    async def _save(self, conversation: Conversation) -> None:
        try:
            # As it is by now: it may have changed since this was asked for, and been saved.
            await self._store.save(conversation.session)
        except sqlite3.Error:
            # It is saved again with its next turn; that is no reason to end everything.
            logger.exception("session %s: cannot be saved", conversation.session.id)

    def stop(self) -> None:
        """End every conversation's task; what is saved stays as it is."""
        for _, task in self._open.values():
            task.cancel()


@asynccontextmanager
async def open_conversations(
    store: SessionStore,
    turns: TurnLog,
    *,
    make_speaker: Callable[[Session, ClaudeSessionBegan], Speaker],
    make_surface: Callable[[Place], Surface],
    clock: Callable[[], float],
    new_id: Callable[[], str],
) -> AsyncGenerator[Conversations, None]:
    """Hold the conversations that were open when the bot stopped, and those opened from now on.

    Leaving the block ends their speakers; the sessions stay open, to be held again next time.
    """
    async with asyncio.TaskGroup() as tasks:
        conversations = Conversations(
            store,
            turns,
            tasks,
            make_speaker=make_speaker,
            make_surface=make_surface,
            clock=clock,
            new_id=new_id,
        )
        for session in await store.open_ones():
            conversations.resume(session)
        try:
            yield conversations
        finally:
            conversations.stop()
