"""One websocket of a client of the voice server, and what waits to be sent over it."""

import asyncio
import contextlib
from dataclasses import dataclass

from aiohttp import web

OUTGOING_MESSAGES = 2000
"""Messages that may wait for a client that does not read; then it is thrown out."""
_CLOSE_SECONDS = 1.0
_FULL = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Close:
    code: int


class VoiceSocket:
    """A websocket whose messages are sent in order by one writer; adding one never waits."""

    def __init__(self) -> None:
        self.websocket = web.WebSocketResponse(max_msg_size=0, timeout=_CLOSE_SECONDS)
        self._outgoing: asyncio.Queue[str | bytes | _Close] = asyncio.Queue(OUTGOING_MESSAGES)
        self.closed_with: int | None = None
        """The code with which this side closed it; `None`: it did not."""

    @property
    def is_open(self) -> bool:
        """Whether what is sent may arrive."""
        return self.closed_with is None and not self.websocket.closed

    def put(self, message: str | bytes) -> None:
        """Send a text or binary message."""
        if self.closed_with is not None:
            return
        try:
            self._outgoing.put_nowait(message)
        except asyncio.QueueFull:
            self.close(_FULL)

    def close(self, code: int) -> None:
        """Close it; what waits to be sent is dropped, as it would be on a line that breaks."""
        if self.closed_with is not None:
            return
        self.closed_with = int(code)
        while not self._outgoing.empty():
            self._outgoing.get_nowait()
        self._outgoing.put_nowait(_Close(code=int(code)))

    async def write_all(self) -> None:
        """Send what is added, until it is closed or the client is gone."""
        # A client that goes away in the middle of a message is seen by the reader, too.
        with contextlib.suppress(ConnectionError):
            while True:
                message = await self._outgoing.get()
                if isinstance(message, _Close):
                    await self.websocket.close(code=message.code)
                    return
                if isinstance(message, str):
                    await self.websocket.send_str(message)
                else:
                    await self.websocket.send_bytes(message)
