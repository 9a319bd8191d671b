"""Whose turn it is. Pure: it neither waits nor starts anything."""

from collections import deque

from extensions.errors import LocalProtocolError, QueueFullError


class FairQueue:
    """Jobs that wait for one of a few places.

    The next place goes to the person who holds the fewest; among equals, to whoever has waited
    longest since their last one. One person's jobs come in the order in which they were put.
    """

    def __init__(self, *, places: int, capacity: int) -> None:
        if places < 1 or capacity < 1:
            raise LocalProtocolError(f"a queue with {places} places and room for {capacity}")
        self._places = places
        self._capacity = capacity
        self._waiting: dict[int, deque[str]] = {}
        """By person, in the order of their turns."""
        self._holders: dict[str, int] = {}
        """The jobs that have a place, and the person of each."""

    def __len__(self) -> int:
        return sum(len(jobs) for jobs in self._waiting.values())

    def put(self, job_id: str, person_id: int) -> None:
        """Have a job wait for a place.

        Raises:
            QueueFullError: If as many wait as may.
        """
        if len(self) >= self._capacity:
            raise QueueFullError(self._capacity)
        self.put_back(job_id, person_id)

    def put_back(self, job_id: str, person_id: int) -> None:
        """Have a job that was accepted before wait again, however many wait already."""
        self._holders.pop(job_id, None)
        self._waiting.setdefault(person_id, deque()).append(job_id)

    def adopt(self, job_id: str, person_id: int) -> None:
        """Give a job that runs already a place, even where there is none."""
        self._holders[job_id] = person_id

    def take(self) -> str | None:
        """Give the next job a free place, and return its id; `None` if there is no such pair."""
        if not self._waiting or not self._has_free_place():
            return None
        held = list(self._holders.values())
        person_id = min(self._waiting, key=held.count)
        jobs = self._waiting.pop(person_id)
        job_id = jobs.popleft()
        if jobs:
            self._waiting[person_id] = jobs
        self._holders[job_id] = person_id
        return job_id

    def leave(self, job_id: str) -> None:
        """Have a job wait no more, and hold no place any more."""
        self._holders.pop(job_id, None)
        self._waiting = {
            person_id: kept
            for person_id, jobs in self._waiting.items()
            if (kept := deque(waiting for waiting in jobs if waiting != job_id))
        }

    def _has_free_place(self) -> bool:
        return len(self._holders) < self._places
