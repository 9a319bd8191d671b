"""The model gateway: spawned Claudes call it in place of the Messages API.

Each calls with its own token; the real key is put in here, and goes nowhere but to the one
upstream host.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp import web

from extensions.callers import Callers
from extensions.server.forwarding import is_forwarded, token_of
from extensions.server.http import BACKLOG, KEEP_ALIVE_SECONDS, Doorstep
from extensions.server.ledger import AnswerBook, AnswerLedger, NoBook
from extensions.server.model_hooks import ModelHooks
from extensions.server.relay import Relay, Upstream, refusal
from extensions.server.tool_hooks import Hooks

_BODY_BYTES = 32 * 1024 * 1024
_STOP_GRACE_SECONDS = 0.1

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayOptions:
    """How long the gateway waits."""

    connect_seconds: float = 15.0
    """For a connection to the upstream host."""
    idle_seconds: float = 600.0
    """For the next bytes of an answer, or for the caller to take them."""
    body_seconds: float = 120.0
    """For a caller to send its whole request."""


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway that is listening."""

    port: int

    @property
    def url(self) -> str:
        """What a Claude on this machine takes for the API's base URL."""
        return f"http://127.0.0.1:{self.port}"


@asynccontextmanager
async def serving_gateway(
    callers: Callers,
    ledger: AnswerLedger,
    *,
    upstream: str,
    api_key: str,
    sock: socket.socket,
    book: AnswerBook | None = None,
    options: GatewayOptions | None = None,
    doorstep: Doorstep | None = None,
    hooks: Hooks | None = None,
) -> AsyncGenerator[Gateway, None]:
    """Forward the model calls of `callers` until the block is left; `sock` is closed then.

    Args:
        callers: Who is let in.
        ledger: Where each answer is entered.
        upstream: The base URL of the Messages API.
        api_key: The real key.
        sock: Of `loopback_socket`.
        book: Where it is kept, beyond the ledger's life, how the last answer to each stands.
        options: How long to wait.
        doorstep: Where connections wait that have shown no token yet.
        hooks: Who has a say in what goes to the model; `None` if nobody has.

    Raises:
        ValueError: If the key is empty, or holds what no header can.
    """
    if not api_key.isascii() or not api_key.isprintable() or not api_key.strip():
        # The key itself is not named: this text ends in a log.
        raise ValueError("the API key is empty or holds characters that no key has")
    options = options or GatewayOptions()
    doorstep = Doorstep() if doorstep is None else doorstep
    port: int = sock.getsockname()[1]
    target = Upstream(base_url=upstream, api_key=api_key, idle_seconds=options.idle_seconds)
    async with _client(options) as client:
        model_hooks = ModelHooks(hooks or Hooks())
        relay = Relay(client, target, ledger, book or NoBook(), model_hooks)
        door = _Door(relay, callers, doorstep, options)
        async with _serving(door.answer, doorstep, sock):
            yield Gateway(port)


def _client(options: GatewayOptions) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        # No limit here: how many ask at once is limited where they connect.
        connector=aiohttp.TCPConnector(limit=0),
        # Nothing that one caller's answer sets may show in another caller's request.
        cookie_jar=aiohttp.DummyCookieJar(),
        skip_auto_headers=("User-Agent", "Accept", "Content-Type"),
        timeout=aiohttp.ClientTimeout(
            total=None, sock_connect=options.connect_seconds, sock_read=options.idle_seconds
        ),
    )


class _Door:
    """Lets in who shows a token, and only with what the gateway is for."""

    def __init__(
        self, relay: Relay, callers: Callers, doorstep: Doorstep, options: GatewayOptions
    ) -> None:
        self._relay = relay
        self._callers = callers
        self._doorstep = doorstep
        self._options = options

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        token = token_of(request.headers)
        caller = None if token is None else self._callers.resolve(token)
        if caller is None:
            which = "no" if token is None else "an unknown"
            logger.warning("refused a model call with %s token", which)
            return refusal(401, "authentication_error", "this token is not valid")
        if request.transport is not None:
            self._doorstep.let_in(request.transport.get_extra_info("peername"))
        if not is_forwarded(request.method, request.raw_path.partition("?")[0]):
            logger.warning("%s asked for what the gateway does not forward", caller)
            return refusal(403, "permission_error", "Papercup does not forward this request")
        try:
            async with asyncio.timeout(self._options.body_seconds):
                body = await _body(request)
        except TimeoutError:
            return refusal(408, "invalid_request_error", "the request did not come in time")
        if body is None:
            return refusal(413, "request_too_large", "a request may have 32 MB at most")
        return await self._relay.forward(request, body, caller)


async def _body(request: web.BaseRequest) -> bytes | None:
    """Return the request's body; `None` if it is too large."""
    if (request.content_length or 0) > _BODY_BYTES:
        return None
    body = bytearray()
    while data := await request.content.readany():
        body += data
        if len(body) > _BODY_BYTES:
            return None
    return bytes(body)


class _Server(web.Server):
    """aiohttp's HTTP, whose new connections wait at the doorstep."""

    def __init__(
        self,
        handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
        doorstep: Doorstep,
    ) -> None:
        super().__init__(
            handler,
            # A caller that goes away ends its request upstream.
            handler_cancellation=True,
            access_log=None,
            auto_decompress=False,
            keepalive_timeout=KEEP_ALIVE_SECONDS,
        )
        self._doorstep = doorstep
        self._peers: dict[web.RequestHandler, Any] = {}

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        self._peers[handler] = transport.get_extra_info("peername")
        self._doorstep.arrived(transport)

    def connection_lost(
        self, handler: web.RequestHandler, exc: BaseException | None = None
    ) -> None:
        super().connection_lost(handler, exc)
        self._doorstep.let_in(self._peers.pop(handler, None))


@asynccontextmanager
async def _serving(
    handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
    doorstep: Doorstep,
    sock: socket.socket,
) -> AsyncGenerator[None, None]:
    server = _Server(handler, doorstep)
    listener = await asyncio.get_running_loop().create_server(server, sock=sock, backlog=BACKLOG)
    try:
        yield
    finally:
        listener.close()
        server.pre_shutdown()
        await server.shutdown(_STOP_GRACE_SECONDS)
