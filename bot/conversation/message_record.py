"""A message that was taken, as it is stored, and what a later bot makes of it. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from bot.access import Person, Place
from bot.conversation.incoming import Attachment
from bot.conversation.turn import Turn, joined_text
from bot.messenger import MessageRef

FRESH_SECONDS = 15 * 60.0
"""A message that is older is not answered any more without being asked again."""


class MessageState(StrEnum):
    """What has become of a message."""

    ACCEPTED = "accepted"
    """It waits for its turn."""
    ANSWERING = "answering"
    ANSWERED = "answered"
    WITHDRAWN = "withdrawn"
    """It is not answered: its author was told so, or took it back."""
    STALE = "stale"
    """It was too old to be answered, and its author was told so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRecord:
    """A message that is to be answered."""

    ref: MessageRef
    author: Person
    place: Place
    text: str
    attachments: tuple[Attachment, ...] = ()
    is_from_menu: bool = False
    """Whether it is a question about that message; its author is then whoever asked."""
    arrived_at: float
    """Unix time, in seconds."""
    state: MessageState = MessageState.ACCEPTED
    session_id: str | None = None
    answering_at: float | None = None
    """Unix time at which its answer was begun."""
    answered_with: int | None = None
    """The newest of the messages that are answered together with it."""
    answer: str | None = None
    """The whole answer, if only showing it is left to do."""
    shown_in: tuple[MessageRef, ...] = ()
    """Where the answer, or a part of it, stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedTurn:
    """A turn that an earlier bot took, and did not bring to its end."""

    turn: Turn
    place: Place
    asked_at: float
    """Unix time at which its newest message came."""
    session_id: str | None
    """Under which it was begun; `None` if it was not."""
    begun_at: float | None

    def is_fresh(self, *, now: float) -> bool:
        """Say whether it is still worth an answer."""
        return self.turn.answer is not None or is_fresh(self.asked_at, now=now)


def is_fresh(written_at: float, *, now: float) -> bool:
    """Say whether what was written then still wants an answer."""
    return now - written_at < FRESH_SECONDS


def unfinished_turns(records: Sequence[MessageRecord]) -> list[UnfinishedTurn]:
    """Return the turns that unanswered messages make, in the order in which they came.

    Messages whose answer was begun stay together; those that were waiting come one by one.
    """
    ordered = sorted(records, key=lambda record: record.ref.message_id)
    begun = sorted(
        (record for record in ordered if record.answered_with is not None),
        key=lambda record: record.answered_with or 0,
    )
    groups = [list(group) for _, group in groupby(begun, key=lambda each: each.answered_with)]
    groups += [[record] for record in ordered if record.answered_with is None]
    return sorted(map(_unfinished, groups), key=lambda each: each.turn.asked_in.message_id)


def _unfinished(group: Sequence[MessageRecord]) -> UnfinishedTurn:
    newest = group[-1]
    turn = Turn(
        people=(newest.author,),
        text=joined_text([record.text for record in group]),
        attachments=tuple(file for record in group for file in record.attachments),
        asked_in=newest.ref,
        joined=tuple(record.ref for record in group[:-1]),
        is_from_menu=newest.is_from_menu,
        is_begun=newest.is_from_menu or newest.state is MessageState.ANSWERING,
        shown_in=newest.shown_in,
        answer=newest.answer,
    )
    return UnfinishedTurn(
        turn=turn,
        place=newest.place,
        asked_at=newest.arrived_at,
        session_id=newest.session_id,
        begun_at=newest.answering_at,
    )


def as_one(messages: Iterable[tuple[Place, Turn]]) -> list[tuple[Place, Turn]]:
    """Put together what each person wrote in each place: it is replied to once.

    Questions about messages stay by themselves, as each is answered under its message.
    """
    found: dict[tuple[Place, int, MessageRef | None], list[Turn]] = {}
    for place, turn in messages:
        apart = turn.asked_in if turn.is_from_menu else None
        found.setdefault((place, turn.people[0].id, apart), []).append(turn)
    return [(place, _as_one_turn(turns)) for (place, _, _), turns in found.items()]


def _as_one_turn(turns: Sequence[Turn]) -> Turn:
    refs = [ref for turn in turns for ref in turn.messages]
    *earlier, newest = sorted(refs, key=lambda ref: ref.message_id)
    return Turn(
        people=turns[0].people,
        text="",
        asked_in=newest,
        joined=tuple(earlier),
        is_from_menu=turns[0].is_from_menu,
    )
