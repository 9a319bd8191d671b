"""A model API that answers just as a test says, and sees what is sent to it."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]

START = {
    "type": "message_start",
    "message": {"usage": {"input_tokens": 100, "output_tokens": 1}},
}
DELTA = {"type": "message_delta", "usage": {"output_tokens": 42}}
STOP = {"type": "message_stop"}
ERROR = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


@dataclass(frozen=True, slots=True)
class Heard:
    """A request that came to the upstream."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class FakeUpstream:
    """An upstream that is up; `handler` may be changed at any time."""

    handler: Handler
    url: str = ""
    heard: list[Heard] = field(default_factory=list)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Note the request, and answer it."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.heard.append(
            Heard(request.method, request.raw_path, headers, await request.content.read())
        )
        return await self.handler(request)


@asynccontextmanager
async def running_upstream(handler: Handler) -> AsyncGenerator[FakeUpstream, None]:
    """Serve an upstream on a port of its own."""
    upstream = FakeUpstream(handler)
    runner = web.ServerRunner(
        web.Server(upstream.answer, handler_cancellation=True), shutdown_timeout=0.1
    )
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    upstream.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield upstream
    finally:
        await runner.cleanup()


def sse(*events: dict[str, Any]) -> bytes:
    """Return `events` as the Messages API streams them."""
    return b"".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events
    )


async def streaming(request: web.BaseRequest, *parts: bytes) -> web.StreamResponse:
    """Begin a stream with those parts; the caller goes on with it, or returns it to end it."""
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    for part in parts:
        await response.write(part)
    return response


async def whole(request: web.BaseRequest) -> web.StreamResponse:
    """Answer with a whole stream."""
    return await streaming(request, sse(START), sse(DELTA, STOP))


async def cut(request: web.BaseRequest) -> web.StreamResponse:
    """Break off in the middle of a stream."""
    response = await streaming(request, sse(START))
    assert request.transport is not None
    request.transport.close()
    return response
