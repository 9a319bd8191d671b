"""A door to voice channels that exist in a test alone."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bot.access import Person, Place
from bot.voice_door import CameIn, JoinTrouble, Moved, VoiceEvent, VoiceJoinError, WentOut
from tests.fakes.voice_link import FakeLink


@dataclass
class FakeDoor:
    """Implements `VoiceDoor`. People walk about in it, whether the bot is there or not."""

    people: defaultdict[Place, list[Person]] = field(default_factory=lambda: defaultdict(list))
    troubles: list[VoiceJoinError] = field(default_factory=list)
    """Raised by the next attempts to join, one each."""
    stages: set[Place] = field(default_factory=set)
    joined: list[Place] = field(default_factory=list)
    """Every channel that was ever joined."""
    left: list[int] = field(default_factory=list)
    """Every server whose channel was ever left."""
    links: dict[int, FakeLink] = field(default_factory=dict)
    """By the server in whose channel the bot is."""
    places: dict[int, Place] = field(default_factory=dict)
    _tells: dict[int, Callable[[VoiceEvent], None]] = field(default_factory=dict)

    async def join(self, place: Place, tell: Callable[[VoiceEvent], None]) -> FakeLink:
        assert place.guild_id is not None
        if self.troubles:
            raise self.troubles.pop(0)
        assert place.guild_id not in self.links, "the bot is in a channel of that server already"
        self.joined.append(place)
        link = self.links[place.guild_id] = FakeLink()
        self.places[place.guild_id], self._tells[place.guild_id] = place, tell
        self._look(place)
        return link

    async def leave(self, guild_id: int) -> None:
        self.left.append(guild_id)
        self.links.pop(guild_id, None)
        self.places.pop(guild_id, None)
        self._tells.pop(guild_id, None)

    def where_is(self, person_id: int, guild_id: int) -> Place | None:
        for place, people in self.people.items():
            if place.guild_id == guild_id and any(one.id == person_id for one in people):
                return place
        return None

    async def people_in(self, place: Place) -> Sequence[Person]:
        return tuple(self.people[place])

    def is_stage(self, place: Place) -> bool:
        return place in self.stages

    def enters(self, place: Place, *people: Person) -> None:
        """Have people come into a channel."""
        for person in people:
            self.people[place].append(person)
            self._look(place)
            self._tell(place, CameIn(person=person))

    def exits(self, place: Place, *people: Person) -> None:
        """Have people leave a channel."""
        for person in people:
            self.people[place] = [one for one in self.people[place] if one.id != person.id]
            self._look(place)
            self._tell(place, WentOut(person_id=person.id))

    def happens(self, guild_id: int, event: VoiceEvent) -> None:
        """Tell whoever is on the line there that something has happened."""
        self._tells[guild_id](event)

    def moves(self, place: Place) -> None:
        """Have somebody move the bot to another channel of its server."""
        assert place.guild_id is not None
        self.places[place.guild_id] = place
        self._look(place)
        self._tell(place, Moved(place=place))

    def refuse(self, trouble: JoinTrouble, detail: str = "") -> None:
        """Have the next attempt to join fail."""
        self.troubles.append(VoiceJoinError(trouble, detail))

    def _look(self, place: Place) -> None:
        if place.guild_id is not None and self.places.get(place.guild_id) == place:
            link = self.links[place.guild_id]
            link.people = [person.id for person in self.people[place]]
            link.listeners = list(link.people)

    def _tell(self, place: Place, event: VoiceEvent) -> None:
        if place.guild_id is not None and self.places.get(place.guild_id) == place:
            self._tells[place.guild_id](event)
