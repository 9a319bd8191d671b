"""Who talks at the moment. Pure."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

_LONGEST_TURN_SECONDS = 25.0
"""An ear that tells nothing of somebody for so long, though they have not ended, has failed."""

_STALE_SECONDS = 0.1
"""A guess made of so much more voice than there was so far belongs to what was said before."""


@dataclass(slots=True, kw_only=True)
class Talker:
    """Somebody from when they begin to talk until that is written down, or was nothing."""

    person_id: int
    began_at: float
    last_at: float
    """When something was last told of them."""
    last_voice_at: float
    voiced_seconds: float = 0.0
    is_silent: bool = False
    """Whether they have paused, and may have finished."""
    pauses_from: float = 0.0
    """From how much voice on they pause the speech."""
    listens_from: float = 0.0
    """From how much voice on it is asked what they say."""
    has_no_say: bool = False
    """Whether their voice alone does not pause the speech any more: only their words count."""

    def is_younger_than(self, voiced_seconds: float) -> bool:
        """Say whether a guess made of so much voice is of what they said before."""
        return voiced_seconds > self.voiced_seconds + _STALE_SECONDS


class Talkers:
    """Who talks, in the order in which they began."""

    def __init__(self, *, pauses_from: float, listens_from: float) -> None:
        self._pauses_from = pauses_from
        self._listens_from = listens_from
        self._talkers: dict[int, Talker] = {}
        self.last_voice_at = float("-inf")

    def __iter__(self) -> Iterator[Talker]:
        return iter(tuple(self._talkers.values()))

    def __len__(self) -> int:
        return len(self._talkers)

    def get(self, person_id: int) -> Talker | None:
        """Return somebody who talks."""
        return self._talkers.get(person_id)

    def began(self, person_id: int, at: float) -> Talker:
        """Know that somebody has begun; what they said before is written down meanwhile."""
        self._talkers.pop(person_id, None)
        talker = self._talkers[person_id] = Talker(
            person_id=person_id,
            began_at=at,
            last_at=at,
            last_voice_at=at,
            pauses_from=self._pauses_from,
            listens_from=self._listens_from,
        )
        self.last_voice_at = max(self.last_voice_at, at)
        return talker

    def went_on(self, person_id: int, voiced_seconds: float, at: float) -> Talker:
        """Know that there was more voice."""
        talker = self._talkers.get(person_id) or self.began(person_id, at)
        talker.voiced_seconds = voiced_seconds
        talker.is_silent = False
        talker.last_at = talker.last_voice_at = at
        self.last_voice_at = max(self.last_voice_at, at)
        return talker

    def paused(self, person_id: int, at: float) -> None:
        """Know that somebody is silent for the moment."""
        if talker := self._talkers.get(person_id):
            talker.is_silent = True
            talker.last_at = at

    def ended(self, person_id: int, ended_at: float) -> None:
        """Know that what somebody said until then is over; they may talk again already."""
        talker = self._talkers.get(person_id)
        if talker is not None and talker.began_at < ended_at:
            del self._talkers[person_id]

    def gone(self, person_id: int) -> None:
        """Forget that somebody talks."""
        self._talkers.pop(person_id, None)

    def keep(self, people: Collection[int]) -> list[Talker]:
        """Forget those who are not among these people, and return them."""
        gone = [talker for talker in self if talker.person_id not in people]
        for talker in gone:
            del self._talkers[talker.person_id]
        return gone

    def lost(self, now: float) -> list[Talker]:
        """Forget, and return, those of whom nothing was told for too long."""
        lost = [talker for talker in self if now >= talker.last_at + _LONGEST_TURN_SECONDS]
        for talker in lost:
            del self._talkers[talker.person_id]
        return lost

    @property
    def next_at(self) -> float | None:
        """When somebody may be lost."""
        ends = [talker.last_at + _LONGEST_TURN_SECONDS for talker in self]
        return min(ends, default=None)
