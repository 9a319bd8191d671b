"""Makes sessions, and gives them names that are free where they are held."""

from dataclasses import replace

from bot.access import Person, Place
from bot.conversation.conversation_parts import ConversationParts
from bot.conversation.names import auto_name
from bot.conversation.session import Session
from bot.conversation.store import SessionStore
from extensions.jobs.naming import unclashed


class NewSessions:
    """Looks up which names are taken. Each method may raise sqlite3.Error."""

    def __init__(self, store: SessionStore, parts: ConversationParts) -> None:
        self._store = store
        self._parts = parts

    async def fresh(self, place: Place, person: Person, name: str | None) -> Session:
        """Return a new session of that person, called `name` or what is free."""
        now = self._parts.clock()
        return Session(
            id=self._parts.new_id(),
            name=await self.free_name(place, person, name),
            place=place,
            opened_by=person.id,
            created_at=now,
            last_active_at=now,
            opened_at=now,
        )

    async def free_name(self, place: Place, person: Person, wanted: str | None) -> str:
        """Return what a fresh session of that person would be called in `place`."""
        taken = await self._store.names_beside(place, person.id)
        return unclashed(wanted or auto_name(at=self._parts.clock()), taken)

    async def named_there(self, session: Session) -> Session:
        """Return the session, under another name if its own is taken where it is held by now."""
        taken = await self._store.names_beside(session.place, session.opened_by, but=session.id)
        return replace(session, name=unclashed(session.name, taken))
