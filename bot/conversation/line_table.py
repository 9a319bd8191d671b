"""What becomes of a voice line when something happens to it: one table. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import assert_never

from bot.access import Place
from bot.voice_door import (
    CameIn,
    ChannelGone,
    Interrupted,
    JoinTrouble,
    Lost,
    MayNotSpeak,
    MaySpeak,
    Moved,
    Restored,
    Restrained,
    ThrownOut,
    VoiceEvent,
    WentOut,
)
from bot.wording import duration_words


@dataclass(frozen=True, slots=True, kw_only=True)
class AloneTooLong:
    """Nobody has been in the channel for so long."""

    seconds: float


@dataclass(frozen=True, slots=True)
class HungUp:
    """Somebody ended it, and is told so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTaken:
    """Its session goes on elsewhere."""

    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class CameBack:
    """An earlier bot held it; this one has come to its channel again."""

    was_answering: bool
    """Whether somebody there was not answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NobodyLeft:
    """An earlier bot held it, and nobody is there any more who may talk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRejoined:
    """An earlier bot held it, and its channel cannot be joined again."""

    trouble: JoinTrouble
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineBroke:
    """What hears and speaks cannot be used, or broke."""

    sentence: str


LineEvent = (
    VoiceEvent
    | AloneTooLong
    | HungUp
    | SessionTaken
    | CameBack
    | NobodyLeft
    | NotRejoined
    | PipelineBroke
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """How the line stands when something happens."""

    session: str = ""
    """The name of its session."""
    is_free: bool = True
    """After `Moved`: whether no other conversation is open there."""
    away_seconds: float = 0.0
    """After `Restored`: how long the connection was gone."""


class Then(Enum):
    """What a line does next."""

    GO_ON = auto()
    LOOK = auto()
    """Look who is there by now: the time alone begins or ends."""
    WAIT = auto()
    """Show that nobody is heard until the connection stands again."""
    FOLLOW = auto()
    """Go on, with the session, where the bot was moved to."""
    END = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What is done about something that happened."""

    then: Then
    spoken: str = ""
    """What is said on the line; empty: nothing."""
    written: str = ""
    """What is posted in the channel's chat; empty: nothing."""


LONG_AWAY_SECONDS = 5.0
"""A gap that people have noticed."""

BACK = "I was cut off for a moment. I am back."
BACK_UNANSWERED = "I was cut off. I am back; say it again if it still matters."
MAY_SPEAK = "I may speak now, and I am listening."
ASKED_TO_SPEAK = (
    "This is a stage, and I am in its audience, so nobody hears me. I have asked to speak: a"
    " moderator has to let me."
)
MAY_NOT_ASK = (
    "This is a stage, and I am in its audience, so nobody hears me, and I may not ask to speak. A"
    " moderator has to invite me, or give my role *Request to Speak*."
)
_RESTRAINTS = {
    (False, False): "A moderator lets me hear and speak again.",
    (True, False): "A moderator has muted me: nobody hears me until that is undone, so I write.",
    (False, True): "A moderator has deafened me: I hear nobody until that is undone.",
    (True, True): "A moderator has muted and deafened me: I read and write until that is undone.",
}
_PICK_UP = "`/pickup` brings me back."


def step_after(event: LineEvent, situation: Situation) -> Step:  # noqa: C901, PLR0911, PLR0912 - a table
    """Return what is done about an event."""
    match event:
        case CameIn() | WentOut():
            return Step(then=Then.LOOK)
        case Moved():
            return _after_move(situation)
        case ThrownOut():
            return _ended(f"Somebody disconnected me, so I hung up. {_PICK_UP}")
        case ChannelGone() | HungUp():
            return _ended("")
        case Interrupted():
            return Step(then=Then.WAIT)
        case Restored() if situation.away_seconds >= LONG_AWAY_SECONDS:
            return Step(then=Then.LOOK, spoken=BACK)
        case Restored():
            return Step(then=Then.LOOK)
        case Lost(trouble=trouble):
            return _ended(f"I lost the line, and hung up. {_why(trouble)} {_PICK_UP}")
        case MayNotSpeak(may_ask=may_ask):
            return Step(then=Then.GO_ON, written=ASKED_TO_SPEAK if may_ask else MAY_NOT_ASK)
        case MaySpeak():
            return Step(then=Then.GO_ON, spoken=MAY_SPEAK)
        case Restrained(is_muted=muted, is_deafened=deafened):
            return Step(then=Then.GO_ON, written=_RESTRAINTS[muted, deafened])
        case AloneTooLong(seconds=seconds):
            return _ended(f"Nobody was here for {duration_words(seconds)}, so I hung up.")
        case SessionTaken(place=place):
            return _ended(f"Its session goes on in <#{place.channel_id}>, so I hung up here.")
        case CameBack(was_answering=was_answering):
            said = BACK_UNANSWERED if was_answering else BACK
            return Step(then=Then.LOOK, spoken=said, written=said)
        case NobodyLeft():
            return _ended("I was away, and nobody is here any more, so I hung up.")
        case NotRejoined(trouble=trouble, detail=detail):
            return _ended(f"I was away, and could not come back. {_why(trouble, detail)}")
        case PipelineBroke(sentence=sentence):
            return _ended(f"I had to hang up. {sentence}")
        case _:
            assert_never(event)


def _after_move(situation: Situation) -> Step:
    if situation.is_free:
        return Step(
            then=Then.FOLLOW,
            spoken="I was moved here, and I am listening.",
            written=f"I was moved here, and **{situation.session}** with me.",
        )
    return _ended(
        "I was moved to a channel in which another conversation is open, so I hung up on"
        f" **{situation.session}**; `/resume` goes on with it."
    )


def _ended(written: str) -> Step:
    return Step(then=Then.END, written=written)


# --- Why a channel cannot be joined, or not be kept. --------------------------------------------

_TROUBLES: Mapping[JoinTrouble, str] = {
    JoinTrouble.NO_PERMISSION: (
        "My role lacks a permission in that voice channel: it needs *View Channel*, *Connect* and"
        " *Speak*."
    ),
    JoinTrouble.FULL: (
        "That voice channel is full. Raise its user limit, or give my role *Move Members*, with"
        " which I get in all the same."
    ),
    JoinTrouble.GONE: "There is no such voice channel any more.",
    JoinTrouble.NO_ENCRYPTION: (
        "Discord wants that channel encrypted from end to end, and I was not given the keys (code"
        " 4017). `papercup doctor` tells whoever runs me what is missing."
    ),
    JoinTrouble.TIMED_OUT: "Discord did not let me in in time. Try again in a minute.",
    JoinTrouble.OFFLINE: "I have no connection to Discord at present. Try again in a minute.",
}


def join_refusal(trouble: JoinTrouble, place: Place, detail: str = "") -> str:
    """Return what somebody is told whose voice channel cannot be joined."""
    return f"I cannot come to <#{place.channel_id}>. {_why(trouble, detail)}"


def _why(trouble: JoinTrouble, detail: str = "") -> str:
    return f"{_TROUBLES[trouble]} ({detail})" if detail else _TROUBLES[trouble]


# --- Where somebody wants a line. ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Somebody wants a conversation, and may want it on a voice line."""

    mode: str | None
    """`voice`, `text`, or `None` if that was not said."""
    is_in_server: bool
    channel: Place | None
    """The voice channel that they are in."""
    missing: str | None
    """Why there is no voice at all, as a sentence; `None` if there is."""
    line: Place | None = None
    """Where the server's line is open."""
    line_may_end: bool = False
    """Whether nobody is there but the bot, and whoever wishes this may end it."""


@dataclass(frozen=True, slots=True)
class InWriting:
    """The conversation is held in writing, where it was asked for."""

    hint: str = ""
    """What is said besides; empty: nothing."""


@dataclass(frozen=True, slots=True)
class OnLine:
    """It is held on a line."""

    channel: Place
    must_end: Place | None = None
    """The line that has to end before."""


@dataclass(frozen=True, slots=True)
class NotPossible:
    """It cannot be held so."""

    reason: str


NOT_IN_VOICE = "You are in no voice channel of this server. Join one, and call it again."
ONLY_IN_SERVERS = "Voice lines are held in the voice channels of servers."


def line_for(wish: Wish) -> InWriting | OnLine | NotPossible:  # noqa: PLR0911 - a table
    """Return where a conversation is held: on a line by default for whoever is in a channel."""
    if wish.mode == "text" or (wish.mode is None and wish.channel is None):
        return InWriting()
    if wish.missing is not None:
        return InWriting(wish.missing) if wish.mode is None else NotPossible(wish.missing)
    if not wish.is_in_server:
        return NotPossible(ONLY_IN_SERVERS)
    if wish.channel is None:
        return NotPossible(NOT_IN_VOICE)
    if wish.line is None or wish.line == wish.channel:
        return OnLine(wish.channel)
    if wish.line_may_end:
        return OnLine(wish.channel, must_end=wish.line)
    return NotPossible(
        f"I am on the line in <#{wish.line.channel_id}>, and can be in one voice channel of a"
        " server at a time. Come there, or end it with `/hangup`."
    )
