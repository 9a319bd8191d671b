"""Models that hear what tests tell them to, and a pool that needs no threads."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from voice.engines.protocols import EngineError
from voice.hearing_models import HearingModels
from voice.model_pool import Priority
from voice.samples import Samples

T = TypeVar("T")


@dataclass
class FakeSpeechToText:
    """Implements `SpeechToText`: gives the next of its texts each time; the last one for ever."""

    texts: list[str] = field(default_factory=lambda: ["hello there"])
    error: EngineError | None = None
    """Set it to have it fail, and to None to have it work again."""
    heard: list[Samples] = field(default_factory=list)
    name: str = "fake speech to text"
    language: str = "en"

    def transcribe(self, audio: Samples) -> str:
        self.heard.append(audio)
        if self.error is not None:
            raise self.error
        return self.texts.pop(0) if len(self.texts) > 1 else self.texts[0]


@dataclass
class FakeVoiceActivity:
    """Implements `VoiceActivity`: whatever is loud is voice."""

    error: EngineError | None = None
    name: str = "fake voice activity"
    streams: list["FakeVoiceStream"] = field(default_factory=list)
    """One for each person, in the order in which they were first heard."""

    def stream(self) -> "FakeVoiceStream":
        self.streams.append(FakeVoiceStream(self))
        return self.streams[-1]


@dataclass
class FakeVoiceStream:
    """Implements `VoiceStream`."""

    owner: FakeVoiceActivity
    resets: int = 0

    def probability(self, frame: Samples) -> float:
        if self.owner.error is not None:
            raise self.owner.error
        return 1.0 if float(np.abs(frame).mean()) > 0.02 else 0.0

    def reset(self) -> None:
        self.resets += 1


@dataclass
class FakeEndOfTurn:
    """Implements `EndOfTurn`: gives the next of its answers each time; the last one for ever."""

    answers: list[float] = field(default_factory=lambda: [1.0])
    error: EngineError | None = None
    name: str = "fake end of turn"

    def probability(self, audio: Samples) -> float:
        assert audio.size
        if self.error is not None:
            raise self.error
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@dataclass
class FakeModels:
    """All three."""

    speech_to_text: FakeSpeechToText = field(default_factory=FakeSpeechToText)
    voice_activity: FakeVoiceActivity = field(default_factory=FakeVoiceActivity)
    end_of_turn: FakeEndOfTurn = field(default_factory=FakeEndOfTurn)

    def models(self) -> HearingModels:
        return HearingModels(
            speech_to_text=self.speech_to_text,
            voice_activity=self.voice_activity,
            end_of_turn=self.end_of_turn,
        )


@dataclass
class FakePool:
    """Does work on the loop's thread; it takes some of the loop's time, virtual or not."""

    seconds: float = 0.0
    priorities: list[Priority] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    """Raised instead of doing the next work, one for each."""

    async def run(self, priority: Priority, work: Callable[[], T]) -> T:
        await asyncio.sleep(self.seconds)
        self.priorities.append(priority)
        if self.errors:
            raise self.errors.pop(0)
        return work()
