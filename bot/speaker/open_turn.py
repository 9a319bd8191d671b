"""A turn that somebody waits for: what is asked, what comes of it, and how long it may take."""

import asyncio
from collections.abc import Sequence

from bot.speaker.answer import Answer
from bot.speaker.speaker import Image, SpeakerEvent
from extensions.claude.events import Event


class OpenTurn:
    """A turn whose answer is taken as it comes."""

    def __init__(self, text: str, images: Sequence[Image], *, timeout_seconds: float) -> None:
        self.answer = Answer(text, images)
        """What came of it."""
        self._timeout_seconds = timeout_seconds
        self._came = asyncio.Event()
        self.deadline = 0.0
        """Until when it may take, in the event loop's time."""
        self.restart_time()

    def restart_time(self) -> None:
        """Let it take its whole time from now on."""
        self.deadline = asyncio.get_running_loop().time() + self._timeout_seconds

    def add(self, event: SpeakerEvent) -> None:
        """Take what came next."""
        self.answer.add(event)
        self._came.set()

    def hear(self, event: Event) -> None:
        """Take what the speaker's Claude did next."""
        self.answer.hear(event)
        self._came.set()

    async def came_in_time(self) -> bool:
        """Wait until something comes; `False` if the time is up."""
        try:
            async with asyncio.timeout_at(self.deadline):
                await self._came.wait()
        except TimeoutError:
            # What had to wait for a seat gets its time anew.
            return asyncio.get_running_loop().time() < self.deadline
        self._came.clear()
        return True
