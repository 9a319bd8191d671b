"""Which stream of packets is whose. Pure."""

from collections.abc import Iterable


class Speakers:
    """Remembers the stream of each person, of which everyone has one at a time."""

    def __init__(self) -> None:
        self._people: dict[int, int] = {}
        self._named: set[int] = set()
        """The streams of which the voice server has said whose they are."""

    def learn(self, ssrc: int, person_id: int) -> None:
        """Be told that a stream is somebody's, and no other one any more."""
        self.found(ssrc, person_id)
        self._named.add(ssrc)

    def found(self, ssrc: int, person_id: int) -> None:
        """Find out that a stream is somebody's, and no other one any more."""
        self.forget(person_id)
        self._people[ssrc] = person_id
        self._named.discard(ssrc)

    def forget(self, person_id: int) -> None:
        """Know that somebody has left."""
        for ssrc in [ssrc for ssrc, known in self._people.items() if known == person_id]:
            del self._people[ssrc]
            self._named.discard(ssrc)

    def clear(self) -> None:
        """Forget all: a new connection has new streams."""
        self._people.clear()
        self._named.clear()

    def was_named(self, ssrc: int) -> bool:
        """Say whether the voice server has said whose stream that is."""
        return ssrc in self._named

    def whose(self, ssrc: int) -> int | None:
        """Return whose stream that is; `None` if that is not known."""
        return self._people.get(ssrc)

    def silent_ones(self, people: Iterable[int]) -> list[int]:
        """Return those of `people` of whom no stream is known."""
        heard = set(self._people.values())
        return [person_id for person_id in people if person_id not in heard]
