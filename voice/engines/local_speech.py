"""What all engines have in common that speak on this machine."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator

from voice.engines.protocols import SpeechError, SpokenAudio, SpokenWord
from voice.resampling import Resampler
from voice.samples import Samples

_PIECE_SECONDS = 0.2
"""What follows takes 2 ms for it, and others want the loop, too."""

Synthesis = Callable[[str], Iterator[Samples]]
"""Speaks a text, and yields audio of the engine's rate, one sentence after the other."""


class LocalSpeech:
    """Speaks in a worker thread, one text at a time. Implements `TextToSpeech`."""

    def __init__(self, name: str, rate: int, synthesis: Synthesis) -> None:
        """Speak with a model that has been loaded.

        Args:
            name: What people read: the engine and its voice.
            rate: Samples per second of what it makes.
            synthesis: Makes it.
        """
        self.name = name
        self._rate = rate
        self._synthesis = synthesis
        self._turn = asyncio.Lock()
        self._model = threading.Lock()

    async def speak(self, text: str) -> AsyncGenerator[SpokenAudio | SpokenWord, None]:
        """Yield the speech of a text while it is made.

        Raises:
            SpeechError: If the model failed, or found nothing to be said.
        """
        # In order of asking, so that the first sentence is made first.
        async with self._turn:
            parts = self._synthesis(text)
            resampler = Resampler()
            is_spoken = False
            while (part := await asyncio.to_thread(self._next, parts)) is not None:
                is_spoken = is_spoken or part.size > 0
                for piece in self._pieces(part):
                    yield SpokenAudio(resampler.feed(piece, self._rate))
        if not is_spoken:
            raise SpeechError(f"{self.name} finds nothing in the text that it could say")
        yield SpokenAudio(resampler.finish())

    def _next(self, parts: Iterator[Samples]) -> Samples | None:
        # A thread whose task was cancelled goes on: the next one waits for it.
        with self._model:
            try:
                return next(parts, None)
            except Exception as error:
                raise SpeechError(f"{self.name} failed: {error}") from error

    def _pieces(self, part: Samples) -> Iterator[Samples]:
        size = round(self._rate * _PIECE_SECONDS)
        for at in range(0, len(part), size):
            yield part[at : at + size]
