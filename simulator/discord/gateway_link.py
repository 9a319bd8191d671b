"""One websocket of a gateway client, and what waits to be sent over it."""

import asyncio
import contextlib
import json
import zlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from simulator.discord.model import Json

OUTGOING_FRAMES = 2000
"""Frames that may wait for a client that does not read; then it is thrown out, as Discord does."""
CLOSE_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Close:
    code: int


class GatewayLink:
    """A websocket whose frames are sent in order by one writer; adding one never waits."""

    def __init__(self, *, is_compressed: bool, delay_seconds: Callable[[], float]) -> None:
        """Make one that is not yet open.

        Args:
            is_compressed: Whether the frames are one zlib stream.
            delay_seconds: Says how late each frame is sent.
        """
        self._delay_seconds = delay_seconds
        self.socket = web.WebSocketResponse(max_msg_size=0, timeout=CLOSE_SECONDS)
        self.session_id: str | None = None
        self._frames_at: deque[float] = deque()
        self._outgoing: asyncio.Queue[Json | str | _Close] = asyncio.Queue(OUTGOING_FRAMES)
        self._zlib = zlib.compressobj() if is_compressed else None
        self.closed_with: int | None = None
        """The code with which this side closed it; `None`: it did not."""

    def count_frame(self, *, now: float, window_seconds: float) -> int:
        """Count a frame that came in; returns how many came in the last `window_seconds`."""
        while self._frames_at and self._frames_at[0] + window_seconds <= now:
            self._frames_at.popleft()
        self._frames_at.append(now)
        return len(self._frames_at)

    def send(self, op: int, data: Any = None) -> None:
        """Send a frame that is not an event."""
        self.put({"op": op, "d": data, "s": None, "t": None})

    def put_raw(self, text: str) -> None:
        """Send a text that need not be a frame."""
        self._put(text)

    def put(self, frame: Json) -> None:
        """Send a whole frame."""
        self._put(frame)

    def _put(self, frame: Json | str) -> None:
        if self.closed_with is not None:
            return
        try:
            self._outgoing.put_nowait(frame)
        except asyncio.QueueFull:
            self.close(4000)

    def close(self, code: int) -> None:
        """Close it; what waits to be sent is dropped, as it would be on a line that breaks."""
        if self.closed_with is not None:
            return
        self.closed_with = code
        while not self._outgoing.empty():
            self._outgoing.get_nowait()
        self._outgoing.put_nowait(_Close(code=code))

    async def write_all(self) -> None:
        """Send what is added, until it is closed or the client is gone."""
        # A client that goes away in the middle of a frame is an everyday thing: the reader
        # sees it, too, and ends the connection.
        with contextlib.suppress(ConnectionError):
            while True:
                frame = await self._outgoing.get()
                if isinstance(frame, _Close):
                    await self.socket.close(code=frame.code)
                    return
                if delay_seconds := self._delay_seconds():
                    await asyncio.sleep(delay_seconds)
                await self._send(frame if isinstance(frame, str) else json.dumps(frame))

    async def _send(self, text: str) -> None:
        if self._zlib is None:
            await self.socket.send_str(text)
            return
        data = self._zlib.compress(text.encode()) + self._zlib.flush(zlib.Z_SYNC_FLUSH)
        await self.socket.send_bytes(data)
