"""Who came into a channel, and who went. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from bot.access import Person
from bot.voice_door import CameIn, Restrained, VoiceEvent, WentOut

_FREE = Restrained(is_muted=False, is_deafened=False)


class Presence(Protocol):
    """How somebody is in a voice channel, as discord.py has it."""

    deaf: bool
    self_deaf: bool
    mute: bool
    suppress: bool


def can_hear(presence: Presence) -> bool:
    """Say whether somebody hears what is said."""
    return not (presence.deaf or presence.self_deaf)


def can_be_heard(presence: Presence | None) -> bool:
    """Say whether somebody is let speak."""
    return presence is not None and not (presence.mute or presence.suppress)


@dataclass(slots=True)
class Company:
    """Remembers who was told of, so that everybody is told of once."""

    _there: dict[int, Person] = field(default_factory=dict[int, Person])

    def changes(self, present: Iterable[Person]) -> list[VoiceEvent]:
        """Return what is to be told now that these people, and no others, are there."""
        now = {person.id: person for person in present if not person.is_automatic}
        gone = [WentOut(person_id=person_id) for person_id in self._there if person_id not in now]
        came = [CameIn(person=person) for key, person in now.items() if key not in self._there]
        self._there = now
        return [*gone, *came]


@dataclass(slots=True)
class Podium:
    """Remembers whether the bot is one of the audience of a stage."""

    _is_audience: bool = False

    def change(self, own: Presence | None, *, is_stage: bool) -> bool | None:
        """Return whether it has now become one of the audience; `None` if nothing has changed."""
        is_audience = is_stage and own is not None and own.suppress
        was, self._is_audience = self._is_audience, is_audience
        return None if was is is_audience else is_audience


@dataclass(slots=True)
class Restraint:
    """Remembers whether a moderator has muted or deafened the bot."""

    _was: Restrained = _FREE

    def change(self, own: Presence | None) -> Restrained | None:
        """Return how that is by now; `None` if nothing has changed."""
        if own is None:
            return None
        now = Restrained(is_muted=own.mute, is_deafened=own.deaf)
        was, self._was = self._was, now
        return None if now == was else now


def sorted_people(
    states: Mapping[int, Presence], known: Iterable[Person]
) -> tuple[list[int], list[int], list[int]]:
    """Return the ids of the people, of those of them who can hear, and of the bots."""
    people = [person.id for person in known if not person.is_automatic]
    listeners = [person_id for person_id in people if can_hear(states[person_id])]
    bots = [person.id for person in known if person.is_automatic]
    return people, listeners, bots
