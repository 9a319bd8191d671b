"""A turn, as data: what somebody says, and how far its answer has come. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.access import Person
from bot.messenger import MessageRef

MOST_JOINED = 10
"""How many messages are answered together at most."""
LONGEST_JOINED = 8_000
"""How many characters they may have together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a person, or several in a row, to be answered."""

    people: tuple[Person, ...]
    """In whose name it is taken; it may do what all of them may."""
    text: str
    asked_in: MessageRef
    """The message that the answer replies to."""
    joined: tuple[MessageRef, ...] = ()
    """Earlier messages that are answered together with that one."""
    is_begun: bool = False
    """Whether something of the answer may stand in the channel already."""
    shown_in: tuple[MessageRef, ...] = ()
    """Where it stands then, as far as that is known."""
    answer: str | None = None
    """The whole answer, if it is known and has only to be shown."""


def next_turn(waiting: Sequence[Turn]) -> tuple[Turn, int]:
    """Return the turn to be answered now, and how many of those that wait it is made of.

    Messages that one person wrote in a row are answered together. What somebody else wrote never
    joins them, nor what the same person wrote with other roles: all of a turn has one's rights.
    """
    turn, *others = waiting
    count = 1
    for later in others[: MOST_JOINED - 1]:
        if not _may_join(turn, later):
            break
        turn = _joined(turn, later)
        count += 1
    return turn, count


def _may_join(turn: Turn, later: Turn) -> bool:
    same_rights = _rights(turn) == _rights(later)
    is_fresh = not turn.is_begun and not later.is_begun
    return same_rights and is_fresh and len(turn.text) + len(later.text) <= LONGEST_JOINED


def _rights(turn: Turn) -> list[tuple[int, int | None, frozenset[int]]]:
    return [(person.id, person.guild_id, person.role_ids) for person in turn.people]


def _joined(turn: Turn, later: Turn) -> Turn:
    joined = (*turn.joined, turn.asked_in)
    return replace(later, text=f"{turn.text}\n\n{later.text}", joined=joined)


_LONGEST_NAME = 40


def spoken_line(turn: Turn) -> str:
    """Return what the speaker is told: who says what.

    The name is cut to one short line, so that it cannot pass for a message of its own.
    """
    names = (" ".join(person.name.split())[:_LONGEST_NAME] for person in turn.people)
    return f"{' and '.join(names)}: {turn.text}"
