"""What happens on a voice line, as data. Pure.

All times are seconds of one monotonic clock: that of the event loop, or a virtual one in tests.
"""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardPacket:
    """Opus audio of one person, 20 ms in most cases, decrypted."""

    person_id: int
    sequence: int
    """RTP's: 16 bits, one more with each packet."""
    timestamp: int
    """RTP's: 32 bits, in samples of 48 kHz."""
    opus: bytes
    """One packet; `SILENCE` when the person has stopped to send."""
    at: float
    """When it arrived."""


SILENCE = b"\xf8\xff\xfe"
"""What Discord's clients send five times when their person has fallen silent."""


# --- What the ears tell of one person, in this order in time. -----------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceBegan:
    """Somebody has begun to talk: the first voice after silence."""

    person_id: int
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceWentOn:
    """There was more voice; told of each frame of 32 ms that is voice."""

    person_id: int
    voiced_seconds: float
    """How much voice there was since it began, pauses left out."""
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VoicePaused:
    """Somebody who talked has been silent for a moment; it may not be the end."""

    person_id: int
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Guessed:
    """What somebody seems to have said so far; they may go on."""

    person_id: int
    text: str
    """Empty if there were no words."""
    voiced_seconds: float
    """Of how much voice that was made."""
    at: float


class EndReason(StrEnum):
    """Why an utterance was taken to be over."""

    COMPLETE = "complete"
    """It sounds and reads as if it was."""
    SILENCE = "silence"
    """Nothing more came for so long."""
    TOO_LONG = "too long"
    """It was cut; what comes next is another one."""
    LEFT = "left"
    """The person is gone, or may not be heard any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UtteranceTimes:
    """How long the stages took that led to a transcript, in seconds, for `/voice doctor`."""

    waited: float = 0.0
    """From the last voice until it was decided that the utterance is over."""
    transcribed: float = 0.0
    """Of transcribing it; mostly done while waiting."""
    decided: float = 0.0
    """Of judging by its sound whether it is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What one person said, from when they began until they had ended."""

    person_id: int
    text: str
    """Never empty."""
    began_at: float
    """When the voice began."""
    ended_at: float
    """When the last of the voice was heard."""
    committed_at: float
    """When it was decided that it is over."""
    voiced_seconds: float
    reason: EndReason
    times: UtteranceTimes = UtteranceTimes()


@dataclass(frozen=True, slots=True, kw_only=True)
class UtteranceEnded:
    """Somebody has said something, to the end."""

    utterance: Utterance


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceFaded:
    """What had begun was no words: a noise, music, a breath."""

    person_id: int
    at: float


HearingEvent = VoiceBegan | VoiceWentOn | VoicePaused | Guessed | UtteranceEnded | VoiceFaded


# --- What comes of it. --------------------------------------------------------------------------


class LineMode(StrEnum):
    """When somebody is taken to talk to the bot."""

    OPEN = "open"
    """Always, if they are alone with it; among several, by its name, shortly after it has answered
    them, and in answer to its question."""
    NAME = "name"
    """The same as among several, also if they are alone with it."""
    PUSH = "push"
    """Only while, or shortly after, they have pressed the button to talk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """Somebody in the voice channel, as far as a line has to know."""

    person_id: int
    name: str
    """As others see it."""
    may_talk: bool
    """Whether they may talk to the bot at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """What somebody said that was not for the bot."""

    person_id: int
    text: str
    at: float
    """When they began to say it."""
    is_of_other: bool = False
    """Whether that person may not talk to the bot: their words are only reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTurn:
    """What the bot is to answer."""

    utterance: Utterance
    """The last one, if there are several; its text is that of all."""
    overheard: tuple[Remark, ...] = ()
    """What was said since the turn before, and not to the bot, in order of speaking."""
    is_merged: bool = False
    """Whether it takes the place of the turn before, which that person has only now ended."""


class StopCause(StrEnum):
    """Why the bot's speech ended before its end."""

    STOP_WORD = "stop word"
    CONTENT = "content"
    """Somebody who is answered said something else."""
    NAME = "name"
    """Somebody said the bot's name."""
    CANCELLED = "cancelled"
    """By a command or a button, or because the line has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """How much of something that was to be spoken people have heard."""

    text: str
    """What was sent to its end, as it was written; empty if nothing was."""
    is_whole: bool
    """Whether the last packet was sent, with somebody there who could hear it."""
    interrupted_by: int | None = None
    """The id of the person who interrupted it."""


class LineState(StrEnum):
    """What a line does at the moment, as its status message shows it."""

    LISTENING = "listening"
    HEARING = "hearing"
    """Somebody talks."""
    THINKING = "thinking"
    SPEAKING = "speaking"
    MUTED = "muted"
    """It does not listen, as somebody wished."""
    DEAF = "deaf"
    """It cannot hear: a model is missing or broken, or nothing can be decrypted."""
    RECONNECTING = "reconnecting"
