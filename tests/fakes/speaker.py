"""A speaker that says what the test tells it to."""

import asyncio
from collections.abc import AsyncGenerator

from bot.speaker.speaker import Answered, Failed, SpeakerEvent


class FakeSpeaker:
    """Implements `Speaker`: `events` is what it says next, a turn ends with its final event."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.is_warm = False
        self.events: asyncio.Queue[SpeakerEvent] = asyncio.Queue()

    async def run(self) -> None:
        await asyncio.Event().wait()

    def warm_up(self) -> None:
        self.is_warm = True

    async def answer(self, text: str) -> AsyncGenerator[SpeakerEvent, None]:
        self.asked.append(text)
        while True:
            event = await self.events.get()
            yield event
            if isinstance(event, Answered | Failed):
                return

    async def interrupt(self) -> None:
        self.events.put_nowait(Failed("Cancelled."))
