"""A speaker that says what the test tells it to."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from bot.speaker.speaker import Answered, Failed, Image, Knobs, SpeakerEvent


class FakeSpeaker:
    """Implements `Speaker`: `events` is what it says next, a turn ends with its final event."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.shown: list[tuple[Image, ...]] = []
        """The images of each turn."""
        self.knobs: list[Knobs] = []
        """What it was changed to, one after the other."""
        self.is_warm = False
        self._is_answering = False
        self.events: asyncio.Queue[SpeakerEvent] = asyncio.Queue()

    async def run(self) -> None:
        await asyncio.Event().wait()

    def warm_up(self) -> None:
        self.is_warm = True

    async def answer(
        self, text: str, images: Sequence[Image] = ()
    ) -> AsyncGenerator[SpeakerEvent, None]:
        self.asked.append(text)
        self.shown.append(tuple(images))
        self._is_answering = True
        while True:
            event = await self.events.get()
            self._is_answering = not isinstance(event, Answered | Failed)
            yield event
            if not self._is_answering:
                return

    def change(self, knobs: Knobs) -> None:
        self.knobs.append(knobs)

    async def interrupt(self) -> bool:
        if not self._is_answering:
            return False
        self.events.put_nowait(Failed("Cancelled."))
        return True
