"""One chunk of a speech while an engine makes it, ahead of its time."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass

from voice.engines.protocols import SpeechError, SpokenAudio, SpokenWord
from voice.voices import TurnVoice

_MOST_ITEMS = 1024
"""Some two minutes of edge-tts; the engine waits when so many are not taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a text that is spoken at once: a sentence in most cases."""

    written: str
    spoken: str
    """What is said of it; empty if nothing is."""


class Making:
    """A chunk that is being made; its audio is kept until it is wanted."""

    def __init__(self, chunk: Chunk, voice: TurnVoice) -> None:
        self.chunk = chunk
        self._voice = voice
        self._is_by_fallback = voice.is_fallback
        self._has_begun = asyncio.Event()
        self._items = asyncio.Queue[SpokenAudio | SpokenWord | SpeechError | None](_MOST_ITEMS)

    @property
    def is_outdated(self) -> bool:
        """Whether the voice of the turn has changed since it was begun."""
        return self._is_by_fallback != self._voice.is_fallback

    async def run(self, in_flight: asyncio.Semaphore) -> None:
        """Have it made, as soon as there is room among those that are in flight."""
        async with in_flight, aclosing(self._voice.speak(self.chunk.spoken)) as speech:
            try:
                async for item in speech:
                    self._has_begun.set()
                    await self._items.put(item)
            except SpeechError as error:
                await self._items.put(error)
            else:
                await self._items.put(None)
            self._has_begun.set()

    async def begun(self) -> None:
        """Wait for the first of its audio, or its end."""
        await self._has_begun.wait()

    async def next(self) -> SpokenAudio | SpokenWord | None:
        """Return what comes next of its speech; None at its end.

        Raises:
            SpeechError: If it cannot be spoken, or not to its end.
        """
        item = await self._items.get()
        if isinstance(item, SpeechError):
            raise item
        return item
