"""Where it is told that a job has settled."""

import asyncio
from collections.abc import Sequence

from bot.access import Action, Allowed, Authorize, Person, Place
from bot.conversation.job_rights import belonging_of
from bot.conversation.people import KnownPeople
from bot.conversation.store import SessionStore
from bot.notices.batch import Addressee
from extensions.jobs.job import Job


class NoticePlaces:
    """Finds the sessions that want to hear of a job."""

    def __init__(
        self,
        sessions: SessionStore,
        people: KnownPeople,
        authorize: Authorize,
        *,
        owners_known: asyncio.Event,
    ) -> None:
        """Make it.

        Args:
            sessions: The sessions, open or not.
            people: Who is where.
            authorize: Who may see what.
            owners_known: Set when the bot's owners are known.
        """
        self._sessions = sessions
        self._people = people
        self._authorize = authorize
        self._owners_known = owners_known

    async def addressees(self, job: Job) -> Sequence[Addressee]:
        """Return who may want to hear that `job` has settled, each place once.

        Raises:
            sqlite3.Error: If that could not be looked up.
        """
        origin = job.origin
        found: dict[int, Addressee] = {}
        if origin.is_known and await self._sessions.notifies(origin.session_id):
            place = Place(guild_id=origin.guild_id, channel_id=origin.channel_id)
            found[place.channel_id] = Addressee(place=place, person_id=origin.person_id)
        for session in await self._sessions.that_hear_of_all():
            # Nobody else's notices go to anybody directly.
            addressee = Addressee(place=session.place, person_id=None)
            found.setdefault(session.place.channel_id, addressee)
        return list(found.values())

    async def may_hear(self, addressee: Addressee, job: Job) -> bool:
        """Say whether `job` may be told of there, once the bot's owners are known.

        Raises:
            sqlite3.Error: If nobody could look who is there.
        """
        if addressee.person_id is not None:
            return True
        await self._owners_known.wait()
        people = await self._people.of(addressee.place)
        return may_hear(job, addressee.place, people, self._authorize)

    def may_listen(self, addressee: Addressee, job: Job, people: Sequence[Person]) -> bool:
        """Say whether `job` may be told of aloud where those people are.

        It is the same that they may read: what was asked for there, and what all of them may see.
        """
        if addressee.person_id is not None:
            return True
        return may_hear(job, addressee.place, people, self._authorize)


def may_hear(job: Job, place: Place, people: Sequence[Person], authorize: Authorize) -> bool:
    """Say whether `job` may be told of in `place`, where it need not have been asked for.

    Args:
        job: The job.
        place: Where.
        people: Everyone who is known to be there.
        authorize: Who may see what.
    """
    if place.guild_id is not None:
        if job.origin.guild_id != place.guild_id:
            return False
        # Its card stands there for all to see.
        if job.origin.channel_id == place.channel_id:
            return True
    verdict = authorize(people, Action.SEE_JOB, place, about=belonging_of(job))
    return isinstance(verdict, Allowed)
