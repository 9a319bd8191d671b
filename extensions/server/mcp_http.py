"""The HTTP client with which MCP servers are reached: no answer of theirs takes all memory."""

from collections.abc import AsyncIterator, Mapping

import httpx2

ANSWER_BYTES = 16 * 1024 * 1024
"""How long one answer, or one event of a stream, may be."""

_ERROR_STATUS = 400
_CONNECT_SECONDS = 10.0
_WRITE_SECONDS = 30.0
_EVENTS = "text/event-stream"


class TooLongError(httpx2.StreamError):
    """An answer is longer than any may be."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"the answer is larger than {limit_bytes} bytes")


class AnswerWatch:
    """Looks at answers before they are read."""

    def __init__(self, *, answer_bytes: int = ANSWER_BYTES) -> None:
        self._answer_bytes = answer_bytes
        self.refused_with: int | None = None
        """The status of the last answer that was no success."""

    async def __call__(self, response: httpx2.Response) -> None:
        """Take note of one, and limit how much of it is read."""
        if response.status_code >= _ERROR_STATUS:
            self.refused_with = response.status_code
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            # A few bytes could become as many as they like.
            raise httpx2.DecodingError("it is compressed, though that was not asked for")
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != _EVENTS:
            stream = response.stream
            assert isinstance(stream, httpx2.AsyncByteStream)
            response.stream = _Limited(stream, self._answer_bytes)


def http_client(headers: Mapping[str, str], watch: AnswerWatch) -> httpx2.AsyncClient:
    """Return a client that sends `headers` with each request; it has to be opened and closed."""
    return httpx2.AsyncClient(
        headers={**headers, "accept-encoding": "identity"},
        # How long an answer may take, whoever waits for it knows.
        timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS, write=_WRITE_SECONDS),
        event_hooks={"response": [watch]},
    )


class _Limited(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, limit_bytes: int) -> None:
        self._stream = stream
        self._limit_bytes = limit_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit_bytes
        async for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise TooLongError(self._limit_bytes)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
