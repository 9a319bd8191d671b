"""The interfaces of the engines that hear and speak."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from voice.errors import EngineError, SpeechError
from voice.samples import Samples

__all__ = [
    "EndOfTurn",
    "EngineError",
    "SpeechError",
    "SpeechToText",
    "SpokenAudio",
    "SpokenWord",
    "TextToSpeech",
    "VoiceActivity",
    "VoiceStream",
]


class SpeechToText(Protocol):
    """Writes down what is said. Used from worker threads; one call at a time for each engine."""

    @property
    def name(self) -> str:
        """What people read in `/voice doctor`: the engine and its model."""
        ...

    @property
    def language(self) -> str:
        """The language that it understands, as `en`; `*` for any."""
        ...

    def transcribe(self, audio: Samples) -> str:
        """Return what is said in audio of `HEARING_RATE`; empty if nothing is.

        Raises:
            EngineError: If it broke.
        """
        ...


class VoiceStream(Protocol):
    """Judges the audio of one person, frame by frame."""

    def probability(self, frame: Samples) -> float:
        """Return how likely a frame of `FRAME_SAMPLES` is voice, from 0 to 1; takes 0.1 ms."""
        ...

    def reset(self) -> None:
        """Forget what was heard so far."""
        ...


class VoiceActivity(Protocol):
    """Tells voice from all other sound."""

    @property
    def name(self) -> str:
        """What people read in `/voice doctor`."""
        ...

    def stream(self) -> VoiceStream:
        """Return what judges one person; they share the model."""
        ...


class EndOfTurn(Protocol):
    """Tells by its sound whether somebody has finished. Used from worker threads."""

    @property
    def name(self) -> str:
        """What people read in `/voice doctor`."""
        ...

    def probability(self, audio: Samples) -> float:
        """Return how likely the utterance in audio of `HEARING_RATE` is over, from 0 to 1."""
        ...


@dataclass(frozen=True, slots=True)
class SpokenAudio:
    """Some of the speech; the pieces follow each other without a gap."""

    samples: Samples
    """Of `SPEECH_RATE`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenWord:
    """Up to where the text has been said at some time of the speech."""

    text_end: int
    """How many characters of the text that is."""
    at_seconds: float
    """Of the audio of this speech, silence included that the engine put before it."""


class TextToSpeech(Protocol):
    """Speaks texts."""

    @property
    def name(self) -> str:
        """What people read in `/voice doctor`: the engine and its voice."""
        ...

    def speak(self, text: str) -> AsyncGenerator[SpokenAudio | SpokenWord, None]:
        """Yield the speech of a text while it is made.

        Several may be made at the same time. Leaving the generator ends its making.

        Args:
            text: A sentence or two, made for speech: no markdown, no links.

        Raises:
            SpeechError: If it could not be spoken, or was cut off; some may have come before.
        """
        ...
