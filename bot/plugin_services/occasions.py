"""Says on whose behalf each spawned Claude works at present."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Protocol

from bot.conversation.conversation import Conversation
from bot.conversation.turn_hooks import occasion_of
from bot.job_events import occasion_of as occasion_of_job
from extensions.callers import Caller, CallerKind
from extensions.errors import JobNotFoundError
from extensions.hooks import Occasion
from extensions.jobs.job import Job


class FindsConversations(Protocol):
    """The open conversations."""

    def of_session(self, session_id: str, /) -> Conversation | None:
        """Return the open conversation of that session."""
        ...


class Occasions:
    """Knows it as soon as there are conversations and jobs; before, nobody works for anybody."""

    def __init__(self) -> None:
        self._conversations: FindsConversations | None = None
        self._find_job: Callable[[str], Awaitable[Job]] | None = None

    @contextmanager
    def known_by(
        self, conversations: FindsConversations, find_job: Callable[[str], Awaitable[Job]]
    ) -> Generator[None, None, None]:
        """Know it while the block lasts.

        Args:
            conversations: The open ones.
            find_job: Returns the job of an id; raises JobNotFoundError.
        """
        self._conversations, self._find_job = conversations, find_job
        try:
            yield
        finally:
            self._conversations = self._find_job = None

    async def of(self, caller: Caller) -> Occasion:
        """Return on whose behalf a spawned Claude works."""
        if caller.kind is CallerKind.JOB:
            return await self._of_job(caller.subject)
        return self._of_session(caller.subject)

    async def _of_job(self, job_id: str) -> Occasion:
        unknown = Occasion(agent_id=job_id)
        if self._find_job is None:
            return unknown
        try:
            return occasion_of_job(await self._find_job(job_id))
        except JobNotFoundError:
            return unknown

    def _of_session(self, session_id: str) -> Occasion:
        conversation = None
        if self._conversations is not None:
            conversation = self._conversations.of_session(session_id)
        if conversation is None:
            return Occasion(session_id=session_id)
        session, turn = conversation.session, conversation.running_turn
        if turn is not None:
            return occasion_of(turn, session)
        return Occasion(
            session_id=session_id,
            person_id=session.opened_by,
            guild_id=session.place.guild_id,
            channel_id=session.place.channel_id,
        )
