"""What a line is to do next, as `turn_taking` decides it. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from voice.events import Remark, SpokenTurn, StopCause


class SpeechKind(StrEnum):
    """What is being spoken."""

    ANSWER = "answer"
    FILLER = "filler"
    """A word or two while it thinks."""
    NOTICE = "notice"
    """Of jobs that have settled; waits for a pause."""
    SAID = "said"
    """Word for word what somebody wanted said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenIn:
    """Guess what somebody has said so far, although they go on: `Guessed` tells it."""

    person_id: int


@dataclass(frozen=True, slots=True)
class PauseSpeech:
    """Send no more of the speech for now."""


@dataclass(frozen=True, slots=True)
class ResumeSpeech:
    """Go on with the speech where it was paused, at the very packet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopSpeech:
    """End the speech; the work that it tells of goes on."""

    by: int
    """The id of the person who interrupted."""
    cause: StopCause


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeTurn:
    """Have something answered."""

    turn: SpokenTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class Overhear:
    """Keep in mind what was said, and not to the bot."""

    remark: Remark


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelWork:
    """Stop what is being answered, too: somebody said so."""

    by: int


@dataclass(frozen=True, slots=True)
class AnnounceNow:
    """Speak the notices that wait: nobody talks, and nothing else is to be said."""


@dataclass(frozen=True, slots=True)
class SayFiller:
    """Say a word or two: the answer takes a while."""


@dataclass(frozen=True, slots=True)
class PlayTone:
    """Let a soft tone tell that a turn was heard."""


LineCommand = (
    ListenIn
    | PauseSpeech
    | ResumeSpeech
    | StopSpeech
    | TakeTurn
    | Overhear
    | CancelWork
    | AnnounceNow
    | SayFiller
    | PlayTone
)
