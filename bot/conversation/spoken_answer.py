"""An answer that is spoken while it is written."""

import asyncio
from collections.abc import AsyncGenerator

from bot.conversation.speech_feed import SpeechFeed
from bot.speaker.speaker import SpeakerEvent


class SpokenAnswer:
    """Takes what a speaker says, and gives it to whoever speaks, as fast as they take it."""

    def __init__(self) -> None:
        self._feed = SpeechFeed()
        self._pieces: list[str] = []
        self._is_whole = False
        self._changed = asyncio.Event()
        self._length_at_stop: int | None = None

    @property
    def text(self) -> str:
        """All that was to be spoken so far."""
        return "".join(self._pieces)

    @property
    def came_late(self) -> bool:
        """Whether more came when it was not spoken any more."""
        return self._length_at_stop is not None and len(self.text.strip()) > self._length_at_stop

    @property
    def is_over(self) -> bool:
        """Whether no more of it is spoken."""
        return self._length_at_stop is not None

    def add(self, event: SpeakerEvent) -> None:
        """Take what the speaker said or did next."""
        if piece := self._feed.add(event):
            self._pieces.append(piece)
            self._changed.set()

    @property
    def is_going_on(self) -> bool:
        """Whether some of it was given to be spoken, and more may come."""
        return bool(self._pieces) and not self._is_whole and not self.is_over

    def interject(self, text: str) -> None:
        """Have something spoken next that is none of the speaker's words, but cannot wait."""
        self._pieces.append(f"\n\n{text}\n\n")
        self._changed.set()

    def end(self) -> None:
        """Know that nothing more comes."""
        self._is_whole = True
        self._changed.set()

    def was_spoken(self) -> None:
        """Know that no more of it is spoken, be it at its end or not."""
        if self._length_at_stop is None:
            self._length_at_stop = len(self.text.strip())

    async def pieces(self) -> AsyncGenerator[str, None]:
        """Yield what is to be spoken, as it comes."""
        taken = 0
        while True:
            while taken < len(self._pieces):
                taken += 1
                yield self._pieces[taken - 1]
            if self._is_whole:
                return
            self._changed.clear()
            await self._changed.wait()
