"""Whose turn it is. Pure: it neither waits nor starts anything."""

from collections import Counter, deque
from dataclasses import dataclass

from extensions.errors import LocalProtocolError, QueueFullError


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """How many jobs may run at once. Those that run already may be more."""

    in_all: int
    per_person: int | None = None
    """Of one person; `None` for no fewer than in all."""
    per_guild: int | None = None
    """Asked for in one guild; `None` for no fewer than in all."""

    def __post_init__(self) -> None:
        if any(limit is not None and limit < 1 for limit in (self.in_all, *self._partial)):
            raise LocalProtocolError(f"no job could ever run with {self}")

    @property
    def _partial(self) -> tuple[int | None, ...]:
        return self.per_person, self.per_guild

    def of_person(self) -> int:
        """Return how many jobs of one person may run."""
        return self.in_all if self.per_person is None else self.per_person

    def of_guild(self, guild_id: int | None) -> int:
        """Return how many jobs of a guild may run; direct messages are in none."""
        return self.in_all if self.per_guild is None or guild_id is None else self.per_guild


@dataclass(frozen=True, slots=True)
class _Asked:
    """A job that waits, or has a place."""

    job_id: str
    person_id: int
    guild_id: int | None


class FairQueue:
    """Jobs that wait for one of a few places.

    The next place goes to the person who holds the fewest; among equals, to whoever has waited
    longest since their last one. One person's jobs come in the order in which they were put; only
    a job whose guild has no place left lets those pass that were asked for elsewhere.
    """

    def __init__(self, places: Places, *, capacity: int) -> None:
        if capacity < 1:
            raise LocalProtocolError(f"a queue with room for {capacity}")
        self._places = places
        self._capacity = capacity
        self._waiting: dict[int, deque[_Asked]] = {}
        """By person, in the order of their turns."""
        self._holders: dict[str, _Asked] = {}
        """The jobs that have a place, by id."""

    def __len__(self) -> int:
        return sum(len(jobs) for jobs in self._waiting.values())

    def put(self, job_id: str, person_id: int, guild_id: int | None) -> None:
        """Have a job wait for a place.

        Raises:
            QueueFullError: If as many wait as may.
        """
        if len(self) >= self._capacity:
            raise QueueFullError(self._capacity)
        self.put_back(job_id, person_id, guild_id)

    def put_back(self, job_id: str, person_id: int, guild_id: int | None) -> None:
        """Have a job that was accepted before wait again, however many wait already."""
        self._holders.pop(job_id, None)
        asked = _Asked(job_id, person_id, guild_id)
        self._waiting.setdefault(person_id, deque()).append(asked)

    def adopt(self, job_id: str, person_id: int, guild_id: int | None) -> None:
        """Give a job that runs already a place, even where there is none."""
        self._holders[job_id] = _Asked(job_id, person_id, guild_id)

    def take(self) -> str | None:
        """Give the next job a free place, and return its id; `None` if there is no such pair."""
        asked = self._next()
        if asked is None:
            return None
        # Whoever has had a turn comes after the others that wait.
        jobs = self._waiting.pop(asked.person_id)
        jobs.remove(asked)
        if jobs:
            self._waiting[asked.person_id] = jobs
        self._holders[asked.job_id] = asked
        return asked.job_id

    def leave(self, job_id: str) -> None:
        """Have a job wait no more, and hold no place any more."""
        self._holders.pop(job_id, None)
        self._waiting = {
            person_id: kept
            for person_id, jobs in self._waiting.items()
            if (kept := deque(asked for asked in jobs if asked.job_id != job_id))
        }

    def _next(self) -> _Asked | None:
        if len(self._holders) >= self._places.in_all:
            return None
        held = Counter(holder.person_id for holder in self._holders.values())
        held_in = Counter(holder.guild_id for holder in self._holders.values())
        for person_id in sorted(self._waiting, key=held.__getitem__):
            if held[person_id] >= self._places.of_person():
                # The others that wait hold no fewer.
                return None
            for asked in self._waiting[person_id]:
                if held_in[asked.guild_id] < self._places.of_guild(asked.guild_id):
                    return asked
        return None
