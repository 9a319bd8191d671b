"""One request to edge-tts, which can be left at any time without waiting for the service."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from types import TracebackType
from typing import Final, Self

import aiohttp
from edge_tts.exceptions import EdgeTTSException
from edge_tts.typing import TTSChunk

from voice.engines.protocols import SpeechError

logger = logging.getLogger(__name__)

FAILURES: Final = (aiohttp.ClientError, OSError, EdgeTTSException, ValueError, KeyError)
"""What edge-tts raises, the last two for answers that it does not expect."""

_MOST_CHUNKS = 1024
"""Some two minutes of audio; the service is read no further while so much is not taken."""
_CLOSING_SECONDS = 0.3
"""How long the service may take to answer that the connection is closed."""


class EdgeRequest:
    """Reads the answer in a task of its own while the `with` block lasts."""

    def __init__(self, stream: AsyncGenerator[TTSChunk, None], tasks: asyncio.TaskGroup) -> None:
        self._stream = stream
        self._tasks = tasks
        self._chunks = asyncio.Queue[TTSChunk | SpeechError | None](_MOST_CHUNKS)
        self._reading: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        self._reading = self._tasks.create_task(self._read())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._reading is not None
        if self._reading.done():
            return
        self._reading.cancel()
        # The connection is being closed then, for which aiohttp gives a silent peer 10 s.
        asyncio.get_running_loop().call_later(_CLOSING_SECONDS, self._reading.cancel)

    async def next(self) -> TTSChunk | None:
        """Return what comes next; None at the end, which may also be that of the connection.

        Raises:
            SpeechError: If the service cannot be reached, refuses, or answers nonsense.
        """
        chunk = await self._chunks.get()
        if isinstance(chunk, SpeechError):
            raise chunk
        return chunk

    async def _read(self) -> None:
        try:
            async with aclosing(self._stream) as chunks:
                async for chunk in chunks:
                    await self._chunks.put(chunk)
        except FAILURES as error:
            await self._chunks.put(SpeechError(f"edge-tts failed: {reason_of(error)}"))
        except Exception as error:
            logger.exception("edge-tts failed in an unknown way")
            await self._chunks.put(SpeechError(f"edge-tts failed: {type(error).__name__}"))
        else:
            await self._chunks.put(None)


def reason_of(error: Exception) -> str:
    """Return why edge-tts failed, without the address: that has tokens in it."""
    if isinstance(error, aiohttp.ClientResponseError):
        return f"the service answered {error.status}"
    if isinstance(error, aiohttp.ClientConnectorError):
        # Its own text shows objects of aiohttp.
        why = error.os_error.strerror or type(error.os_error).__name__
        return f"{error.host} cannot be reached ({why})"
    return str(error) or type(error).__name__
