"""The stand-in's server."""

import asyncio
import inspect
import json
import logging
import uuid
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, assert_never, cast

from aiohttp import web

from simulator.messages_api.answers import (
    Answer,
    Cut,
    Hang,
    HttpError,
    Say,
    Streamed,
    StreamError,
    Think,
    Use,
    UseSeveral,
)
from simulator.messages_api.requests import ModelRequest, ReceivedRequest
from simulator.messages_api.scripts import Script
from simulator.messages_api.wire import (
    Drop,
    Pause,
    Send,
    Step,
    delay_of,
    error_body,
    message_of,
    sse,
    stream_of,
)

logger = logging.getLogger(__name__)

_KEPT_REQUESTS = 512
_BODY_LIMIT_BYTES = 64 << 20
_PING_SECONDS = 1.0
_BYTES_PER_TOKEN = 4
_MODELS = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5")
_MODELS_SINCE = "2026-01-01T00:00:00Z"


class MessagesApi:
    """A Messages API that is up. Get one from `running_messages_api`."""

    def __init__(self, script: Script, keys: frozenset[str] | None) -> None:
        self.url = ""
        """Where it listens; what a client takes as its base URL."""
        self.requests: deque[ReceivedRequest] = deque(maxlen=_KEPT_REQUESTS)
        """What was received, oldest first; only the newest 512 are kept."""
        self.model_requests: deque[ModelRequest] = deque(maxlen=_KEPT_REQUESTS)
        """Those that asked the model, whether or not their key was good."""
        self.script = script
        """What answers from now on."""
        self.keys = keys
        """The keys that are let in from now on; `None` lets every request in."""
        self.unread_answers = 0
        """Answers whose reader went away before their end."""
        self.script_error: Exception | None = None
        """The first error that the script raised."""
        self._faults: deque[Answer] = deque()
        self._asked = 0
        self._unread = asyncio.Event()
        self._arrived = asyncio.Condition()

    async def asked(self, count: int) -> ModelRequest:
        """Wait until the model was asked `count` times in all, and return the newest request."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: self._asked >= count)
            return self.model_requests[-1]

    def fail_next(self, answer: Answer, *, times: int = 1) -> None:
        """Give the next requests that ask the model this answer, in place of the script's."""
        self._faults.extend([answer] * times)

    async def answer_unread(self) -> None:
        """Wait until some reader has gone away before the end of its answer."""
        await self._unread.wait()

    def app(self) -> web.Application:
        """Return the web application that answers."""
        app = web.Application(client_max_size=_BODY_LIMIT_BYTES)
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_post("/v1/messages/count_tokens", self._count_tokens)
        app.router.add_get("/v1/models", self._models)
        app.router.add_route("*", "/{path:.*}", self._anything_else)
        return app

    async def _messages(self, http: web.Request) -> web.StreamResponse:
        received = await self._note(http)
        if received.body is None:
            return _refusal(HttpError(400, "invalid_request_error", "the body is not JSON"))
        request = ModelRequest(headers=received.headers, body=received.body)
        async with self._arrived:
            self._asked += 1
            self.model_requests.append(request)
            self._arrived.notify_all()
        if not self._lets_in(request):
            return _refusal(HttpError(401, "authentication_error", "invalid x-api-key"))
        answer = await self._decide(request)
        await asyncio.sleep(delay_of(answer))
        if isinstance(answer, HttpError):
            return _refusal(answer)
        if not request.body.get("stream"):
            return await _whole(http, answer, request.model)
        return await self._stream(http, answer, request.model)

    async def _decide(self, request: ModelRequest) -> Answer:
        if self._faults:
            return self._faults.popleft()
        try:
            answer = self.script(request)
            return await answer if inspect.isawaitable(answer) else answer
        except Exception as error:
            logger.exception("the script failed")
            self.script_error = self.script_error or error
            return HttpError(400, "invalid_request_error", "the script failed")

    async def _stream(self, http: web.Request, answer: Streamed, model: str) -> web.StreamResponse:
        headers = {
            "content-type": "text/event-stream; charset=utf-8",
            "cache-control": "no-cache",
            "request-id": _new_id("req_"),
        }
        response = web.StreamResponse(headers=headers)
        try:
            await response.prepare(http)
            for step in stream_of(answer, model=model, new_id=_new_id):
                await _take(step, response, http)
        except asyncio.CancelledError:
            self.unread_answers += 1
            self._unread.set()
            raise
        return response

    def _lets_in(self, request: ModelRequest) -> bool:
        return self.keys is None or request.api_key in self.keys

    async def _count_tokens(self, http: web.Request) -> web.Response:
        received = await self._note(http)
        size = len(json.dumps(received.body))
        return web.json_response({"input_tokens": size // _BYTES_PER_TOKEN})

    async def _models(self, http: web.Request) -> web.Response:
        received = await self._note(http)
        if not self._lets_in(ModelRequest(headers=received.headers, body={})):
            return _refusal(HttpError(401, "authentication_error", "invalid x-api-key"))
        models = [
            {"type": "model", "id": name, "display_name": name, "created_at": _MODELS_SINCE}
            for name in _MODELS
        ]
        page = {"data": models, "has_more": False, "first_id": _MODELS[0], "last_id": _MODELS[-1]}
        return web.json_response(page)

    async def _anything_else(self, http: web.Request) -> web.Response:
        await self._note(http)
        if http.path == "/":
            return web.Response()
        return _refusal(HttpError(404, "not_found_error", f"no {http.path}"))

    async def _note(self, http: web.Request) -> ReceivedRequest:
        try:
            body = json.loads(await http.read())
        except ValueError:
            body = None
        received = ReceivedRequest(
            method=http.method,
            path=http.path_qs,
            headers={name.lower(): value for name, value in http.headers.items()},
            body=cast("dict[str, Any]", body) if isinstance(body, dict) else None,
        )
        self.requests.append(received)
        return received


@asynccontextmanager
async def running_messages_api(
    script: Script, *, keys: frozenset[str] | None = None, port: int = 0
) -> AsyncGenerator[MessagesApi, None]:
    """Serve a Messages API on loopback whose model says what `script` decides.

    If the script raised an error, the client was refused, and the error is raised again when the
    block is left.

    Args:
        script: Decides on each answer.
        keys: The API keys that are let in; `None` lets every request in.
        port: Where to listen; 0 takes any free port.

    Raises:
        OSError: If the port is taken.
    """
    api = MessagesApi(script, keys)
    # Without it, an answer to a client that has gone would be streamed to its end.
    runner = web.AppRunner(api.app(), handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        api.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield api
    finally:
        await runner.cleanup()
    if api.script_error is not None:
        raise api.script_error


async def _take(step: Step, response: web.StreamResponse, http: web.Request) -> None:
    match step:
        case Send(event):
            await response.write(sse(event))
        case Pause(seconds, pings):
            await _pause(seconds, response if pings else None)
        case Drop():
            _hang_up(http)
        case _:
            assert_never(step)


async def _pause(seconds: float, pinged: web.StreamResponse | None) -> None:
    while seconds > 0:
        await asyncio.sleep(min(seconds, _PING_SECONDS))
        seconds -= _PING_SECONDS
        if pinged is not None:
            await pinged.write(sse({"type": "ping"}))


async def _whole(http: web.Request, answer: Streamed, model: str) -> web.Response:
    """Answer without a stream; what breaks a stream breaks this in its own way."""
    match answer:
        case Say() | Use() | UseSeveral() | Think():
            message = message_of(answer, model=model, new_id=_new_id)
            return web.json_response(message, headers={"request-id": _new_id("req_")})
        case StreamError(type=error_type, message=message):
            return _refusal(HttpError(500, error_type, message))
        case Hang() | Cut():
            await asyncio.sleep(answer.seconds if isinstance(answer, Hang) else 0)
            _hang_up(http)
            return web.Response()
        case _:
            assert_never(answer)


def _hang_up(http: web.Request) -> None:
    """Close the connection before the end of the answer's body is marked."""
    if http.transport is not None:
        http.transport.close()


def _refusal(error: HttpError) -> web.Response:
    request_id = _new_id("req_")
    headers = {"request-id": request_id, **error.headers}
    if error.retry_after_seconds is not None:
        headers["retry-after"] = str(error.retry_after_seconds)
    body = error_body(error.type, error.message, request_id=request_id)
    return web.json_response(body, status=error.status, headers=headers)


def _new_id(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:24]
