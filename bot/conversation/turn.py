"""A turn, as data: what somebody says, and what comes back while it is answered. Pure."""

from dataclasses import dataclass

from bot.access import Person
from bot.messenger import MessageRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a person, to be answered."""

    people: tuple[Person, ...]
    """In whose name it is taken; it may do what all of them may."""
    text: str
    asked_in: MessageRef


_LONGEST_NAME = 40


def spoken_line(turn: Turn) -> str:
    """Return what the speaker is told: who says what.

    The name is cut to one short line, so that it cannot pass for a message of its own.
    """
    names = (" ".join(person.name.split())[:_LONGEST_NAME] for person in turn.people)
    return f"{' and '.join(names)}: {turn.text}"
