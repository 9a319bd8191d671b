"""Voices that say what the test tells them to, without a model."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import numpy as np

from voice.engines.protocols import SpeechError, SpokenAudio, SpokenWord
from voice.samples import SPEECH_RATE, Samples

SECONDS_PER_WORD = 0.2


def hum(seconds: float, *, amplitude: float = 0.14, pitch_hz: float = 220.0) -> Samples:
    """Return a tone; as loud as speech should be unless told otherwise."""
    at = np.arange(round(seconds * SPEECH_RATE)) / SPEECH_RATE
    return (amplitude * np.sin(2 * np.pi * pitch_hz * at)).astype(np.float32)


@dataclass
class FakeVoice:
    """Implements `TextToSpeech`: hums 0.2 s for each word."""

    name: str = "fake voice"
    tells_words: bool = True
    failures: dict[str, int] = field(default_factory=dict)
    """Texts that it cannot speak, and after how many words it fails."""
    seconds_before: float = 0.0
    """How long it takes until the first audio."""
    asked: list[str] = field(default_factory=list)
    """What it was to speak, in order."""
    in_flight: int = 0
    most_in_flight: int = 0

    async def speak(self, text: str) -> AsyncGenerator[SpokenAudio | SpokenWord, None]:
        self.asked.append(text)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.seconds_before)
            async for item in self.items(text):
                yield item
        finally:
            self.in_flight -= 1

    async def items(self, text: str) -> AsyncGenerator[SpokenAudio | SpokenWord, None]:
        end = 0
        for number, word in enumerate(text.split()):
            if number == self.failures.get(text):
                raise SpeechError(f"{self.name} is hoarse")
            end = text.index(word, end) + len(word)
            if self.tells_words:
                yield SpokenWord(text_end=end, at_seconds=(number + 1) * SECONDS_PER_WORD)
            yield SpokenAudio(hum(SECONDS_PER_WORD))


async def written(*pieces: str) -> AsyncGenerator[str, None]:
    """Yield the pieces of a text, as a speaker writes it."""
    for piece in pieces:
        yield piece


@dataclass
class Told:
    """Takes down what a mouth tells of a speech."""

    began: list[float] = field(default_factory=list)
    grew: list[str] = field(default_factory=list)

    def note_began(self) -> None:
        self.began.append(asyncio.get_running_loop().time())
