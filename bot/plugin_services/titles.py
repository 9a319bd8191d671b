"""Calls sessions, and their own threads, as plugins wish."""

import asyncio
import logging

from bot.access import Action, Allowed, Authorize, Person, Place
from bot.conversation.background import Background
from bot.conversation.conversation import Conversation
from bot.conversation.conversations import Conversations
from bot.conversation.names import session_name
from bot.conversation.session_rights import session_belonging
from bot.messenger import Messenger, MessengerError
from bot.plugin_services.sessions import PersonOf
from extensions.hooks import Occasion

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_TITLES = 300.0
"""Discord takes two titles of a thread in ten minutes."""
_RENAMING_SECONDS = 30.0


class Titles:
    """Gives titles; of those that come in quick succession the last one counts."""

    def __init__(
        self,
        conversations: Conversations,
        messenger: Messenger,
        authorize: Authorize,
        person_of: PersonOf,
        background: Background,
    ) -> None:
        """Make it.

        Args:
            conversations: The open ones.
            messenger: Gives threads their titles.
            authorize: Who may change which session.
            person_of: Who somebody is.
            background: Where titles wait for their time.
        """
        self._conversations = conversations
        self._messenger = messenger
        self._authorize = authorize
        self._person_of = person_of
        self._background = background
        self._wanted: dict[str, str] = {}
        """By the sessions that have, or had a while ago, another title."""

    async def want(self, title: str, occasion: Occasion) -> bool:
        """Have the session of an occasion called so, soon; `False` if that cannot be.

        It cannot if none is open there, if the person may not change it, or if the title has
        neither letters nor digits.

        Raises:
            sqlite3.Error: If nobody could look who that person is.
        """
        conversation = self._conversation(occasion)
        if conversation is None or session_name(title) is None:
            return False
        if not await self._may_change(conversation, occasion):
            return False
        session_id = conversation.session.id
        is_waiting = session_id in self._wanted
        self._wanted[session_id] = title
        if not is_waiting:
            self._background.start(lambda: self._entitle(session_id))
        return True

    def _conversation(self, occasion: Occasion) -> Conversation | None:
        if occasion.session_id is not None:
            return self._conversations.of_session(occasion.session_id)
        if occasion.channel_id is None:
            return None
        place = Place(guild_id=occasion.guild_id, channel_id=occasion.channel_id)
        return self._conversations.in_place(place)

    async def _may_change(self, conversation: Conversation, occasion: Occasion) -> bool:
        if occasion.person_id is None:
            return False
        session = conversation.session
        person = await self._person(occasion.person_id, conversation)
        verdict = self._authorize(
            [person], Action.CHANGE_SESSION, session.place, about=session_belonging(session)
        )
        return isinstance(verdict, Allowed)

    async def _person(self, person_id: int, conversation: Conversation) -> Person:
        """Return somebody with the roles that they had last, as far as any are known."""
        running = conversation.running_turn
        for person in () if running is None else running.people:
            if person.id == person_id:
                return person
        return await self._person_of(person_id, conversation.session.place)

    async def _entitle(self, session_id: str) -> None:
        """Give the titles that are wanted of one session, until none is wanted any more."""
        given = None
        try:
            while self._wanted[session_id] != given:
                given = self._wanted[session_id]
                if await self._give(session_id, given):
                    await asyncio.sleep(SECONDS_BETWEEN_TITLES)
        finally:
            del self._wanted[session_id]

    async def _give(self, session_id: str, title: str) -> bool:
        """Give a title, and say whether anything was changed."""
        conversation, name = self._conversations.of_session(session_id), session_name(title)
        if conversation is None or name is None or conversation.session.name == name:
            return False
        if not await self._conversations.rename(conversation, name):
            return False
        session = conversation.session
        if session.has_own_thread:
            try:
                async with asyncio.timeout(_RENAMING_SECONDS):
                    await self._messenger.rename_thread(session.place, session.name)
            except (TimeoutError, MessengerError) as error:
                logger.warning("session %s: its thread keeps its title: %r", session_id, error)
        return True
