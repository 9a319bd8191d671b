"""Keeps what somebody says from the turns: `/voice doctor` asked for it."""

import asyncio

from voice.events import HearingEvent, UtteranceEnded


class Captures:
    """Waits for the next thing that people say, each of them."""

    def __init__(self) -> None:
        self._waiting: dict[int, asyncio.Future[str]] = {}

    async def next_of(self, person_id: int) -> str:
        """Return the next thing that somebody says, to the end; who asked before waits in vain."""
        capture: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[person_id] = capture
        try:
            return await capture
        finally:
            if self._waiting.get(person_id) is capture:
                del self._waiting[person_id]

    def take(self, event: HearingEvent) -> bool:
        """Say whether an event is about what is waited for, and for nobody else."""
        if not isinstance(event, UtteranceEnded):
            return event.person_id in self._waiting
        capture = self._waiting.pop(event.utterance.person_id, None)
        if capture is not None and not capture.done():
            capture.set_result(event.utterance.text)
        return capture is not None
