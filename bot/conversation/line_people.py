"""Who is on a voice line, and who of them may talk to the bot."""

from collections.abc import Callable, Sequence
from typing import assert_never

from bot.access import Action, Allowed, Authorize, Person, Place
from bot.conversation.session import Session
from bot.conversation.session_rights import may_take
from bot.voice_door import CameIn, VoiceDoor, WentOut
from voice.events import Participant

_SOMEBODY = "somebody"
_MOST_GONE = 100


class LinePeople:
    """The people in the channel of one line, as Discord told of them last."""

    def __init__(
        self,
        door: VoiceDoor,
        authorize: Authorize,
        place: Place,
        session: Callable[[], Session | None],
    ) -> None:
        """Make it.

        Args:
            door: Knows who is where.
            authorize: Who may do what.
            place: The channel.
            session: Gives the session that is open there.
        """
        self._door = door
        self._authorize = authorize
        self._session = session
        self.place = place
        """The channel."""
        self._known: dict[int, Person] = {}
        self._gone: dict[int, Person] = {}
        """Those who left: what they said last may still be on its way."""

    @property
    def present(self) -> Sequence[Person]:
        """Who is there, bots left out."""
        return tuple(self._known.values())

    def hear_of(self, event: CameIn | WentOut) -> None:
        """Take it at once when somebody comes or goes."""
        match event:
            case CameIn(person=person):
                self._known[person.id] = person
            case WentOut(person_id=person_id):
                if (gone := self._known.pop(person_id, None)) is not None:
                    self._remember(gone)
            case _:
                assert_never(event)

    async def look(self) -> None:
        """Look who is there, with the names and roles that they have by now."""
        found = await self._door.people_in(self.place)
        self._known = {person.id: person for person in found}

    def find(self, person_id: int) -> Person | None:
        """Return somebody who is there, or was a while ago."""
        return self._known.get(person_id) or self._gone.get(person_id)

    def name_of(self, person_id: int | None) -> str:
        """Return what somebody is called."""
        person = None if person_id is None else self.find(person_id)
        return _SOMEBODY if person is None else person.name

    def may_talk(self, person: Person) -> bool:
        """Say whether somebody may talk to the bot here, by now."""
        verdict = self._authorize([person], Action.TALK, self.place)
        if not isinstance(verdict, Allowed):
            return False
        session = self._session()
        return session is None or isinstance(may_take(session, [person], self._authorize), Allowed)

    def participant(self, person_id: int) -> Participant:
        """Return somebody as the line has to know them; who is not known may not talk."""
        person = self.find(person_id)
        if person is None:
            return Participant(person_id=person_id, name=_SOMEBODY, may_talk=False)
        return Participant(person_id=person_id, name=person.name, may_talk=self.may_talk(person))

    def _remember(self, person: Person) -> None:
        self._gone.pop(person.id, None)
        self._gone[person.id] = person
        if len(self._gone) > _MOST_GONE:
            del self._gone[next(iter(self._gone))]
