"""The stand-in's server."""

import asyncio
import json
import logging
import ssl
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from aiohttp import WSMsgType, web

from simulator.edge_tts.faults import Fault
from simulator.edge_tts.requests import (
    BadRequestError,
    SpeechRequest,
    is_let_in,
    parsed_message,
    speech_request,
    wants_words,
)
from simulator.edge_tts.speaking import BITS_PER_SECOND, Speech, load, speech_of
from simulator.edge_tts.voices import VOICES

logger = logging.getLogger(__name__)

_KEPT_REQUESTS = 512
_MESSAGE_BYTES = 720
"""How much audio the service sends at once: 0.12 s."""
_BOUNDARIES_AHEAD_SECONDS = 0.5
_SLOW_SECONDS = 1.0
_BASE = "/consumer/speech/synthesize/readaloud"


class EdgeTts:
    """A speech service that is up. Get one from `running_edge_tts`."""

    def __init__(self, *, speed: float | None) -> None:
        self.url = ""
        """Where it listens; what stands for `https://speech.platform.bing.com`."""
        self.requests: deque[SpeechRequest] = deque(maxlen=_KEPT_REQUESTS)
        """What was to be spoken, oldest first; only the newest 512 are kept."""
        self.fault: Fault | None = None
        """What every request meets with from now on."""
        self.connections = 0
        """How many clients are connected."""
        self.most_connections = 0
        """How many were connected at the same time."""
        self.refused = 0
        """How many clients were not let in."""
        self._speed = speed
        self._faults: deque[Fault | None] = deque()
        self._asked = asyncio.Condition()
        self._ask_count = 0

    def fail_next(self, *faults: Fault | None) -> None:
        """Give the next requests these faults, one each; `None` for a good answer."""
        self._faults.extend(faults)

    async def asked(self, count: int) -> None:
        """Wait until it was asked to speak `count` times in all."""
        async with self._asked:
            await self._asked.wait_for(lambda: self._ask_count >= count)

    def app(self) -> web.Application:
        """Return the web application that answers."""
        app = web.Application()
        app.router.add_get(f"{_BASE}/edge/v1", self._speak)
        app.router.add_get(f"{_BASE}/voices/list", self._list)
        return app

    async def _list(self, http: web.Request) -> web.Response:
        if self._next_fault() is not None:
            return self._refusal(403)
        if not http.query.get("Sec-MS-GEC"):
            return self._refusal(403)
        return web.json_response(list(VOICES.values()))

    def _next_fault(self) -> Fault | None:
        return self._faults.popleft() if self._faults else self.fault

    def _refusal(self, status: int) -> web.Response:
        self.refused += 1
        return web.Response(status=status)

    async def _speak(self, http: web.Request) -> web.StreamResponse:
        fault = self._next_fault()
        if fault is Fault.FORBIDDEN or not is_let_in(http.query, http.headers):
            return self._refusal(403)
        if fault is Fault.UNAVAILABLE:
            return self._refusal(503)
        socket = web.WebSocketResponse(compress=True)
        await socket.prepare(http)
        self.connections += 1
        self.most_connections = max(self.most_connections, self.connections)
        try:
            await self._serve(socket, fault)
        except BadRequestError as error:
            logger.warning("a client asked for what there is not: %s", error)
        except ConnectionError:
            logger.debug("a client went away before the end")
        finally:
            self.connections -= 1
        await socket.close()
        return socket

    async def _serve(self, socket: web.WebSocketResponse, fault: Fault | None) -> None:
        with_words = False
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            headers, body = parsed_message(message.data)
            if headers.get("Path") == "speech.config":
                with_words = wants_words(body)
                continue
            request_id = headers.get("X-RequestId", "")
            request = speech_request(body, request_id=request_id, with_words=with_words)
            async with self._asked:
                self.requests.append(request)
                self._ask_count += 1
                self._asked.notify_all()
            answer = _Answer(socket, request, fault, self._speed)
            if not await answer.send():
                return


class _Answer:
    """The answer to one request."""

    def __init__(
        self,
        socket: web.WebSocketResponse,
        request: SpeechRequest,
        fault: Fault | None,
        speed: float | None,
    ) -> None:
        self._socket = socket
        self._request = request
        self._fault = fault
        self._speed = speed

    async def send(self) -> bool:
        """Send it, and return whether it was sent to its end."""
        await self._text("turn.start", {"context": {"serviceTag": self._request.request_id}})
        await self._text("response", {"context": {"serviceTag": self._request.request_id}})
        if self._fault is Fault.STALL:
            await self._until_closed()
        if self._fault is Fault.SLOW:
            await asyncio.sleep(_SLOW_SECONDS)
        if self._fault is not Fault.NO_AUDIO and self._request.voice in VOICES:
            speech = await asyncio.to_thread(speech_of, self._request)
            if not await self._audio(speech):
                return False
        await self._text("turn.end", {})
        return True

    async def _audio(self, speech: Speech) -> bool:
        boundaries, sent = deque(speech.boundaries), 0
        async for data in _messages(speech):
            # Boundaries come a little before their audio.
            until = _seconds(sent) + _BOUNDARIES_AHEAD_SECONDS
            while boundaries and boundaries[0].offset_seconds <= until:
                await self._text("audio.metadata", {"Metadata": [boundaries.popleft().metadata()]})
            if sent > speech.mp3_size // 2 and self._fault in {Fault.CUT, Fault.STALL_HALFWAY}:
                if self._fault is Fault.STALL_HALFWAY:
                    await self._until_closed()
                return False
            await self._binary("Content-Type:audio/mpeg\r\n", data)
            sent += len(data)
            if self._speed is not None:
                await asyncio.sleep(_seconds(len(data)) / self._speed)
        await self._binary("", b"")
        return True

    async def _text(self, path: str, body: object) -> None:
        await self._socket.send_str(
            f"X-RequestId:{self._request.request_id}\r\n"
            "Content-Type:application/json; charset=utf-8\r\n"
            f"Path:{path}\r\n\r\n{json.dumps(body)}"
        )

    async def _binary(self, content_type: str, data: bytes) -> None:
        headers = f"X-RequestId:{self._request.request_id}\r\n{content_type}Path:audio\r\n"
        head = headers.encode()
        await self._socket.send_bytes(len(head).to_bytes(2, "big") + head + data)

    async def _until_closed(self) -> None:
        """Neither send nor read; this is cancelled when the client's connection is gone."""
        await asyncio.Event().wait()


async def _messages(speech: Speech) -> AsyncGenerator[bytes, None]:
    """Yield the audio of each message while it is encoded."""
    pieces, rest = speech.mp3(), b""
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        rest += piece
        whole = len(rest) - len(rest) % _MESSAGE_BYTES
        for at in range(0, whole, _MESSAGE_BYTES):
            yield rest[at : at + _MESSAGE_BYTES]
        rest = rest[whole:]
    if rest:
        yield rest


def _seconds(mp3_bytes: int) -> float:
    return mp3_bytes * 8 / BITS_PER_SECOND


@asynccontextmanager
async def running_edge_tts(
    *, port: int = 0, speed: float | None = None, tls: ssl.SSLContext | None = None
) -> AsyncGenerator[EdgeTts, None]:
    """Serve the speech service on loopback; every voice sounds the same.

    Args:
        port: Where to listen; 0 takes any free port.
        speed: How many times faster than it is spoken the audio is sent; unset: at once.
        tls: What to listen with; unset: without TLS.

    Raises:
        OSError: If the port is taken.
    """
    await asyncio.to_thread(load)
    service = EdgeTts(speed=speed)
    runner = web.AppRunner(
        service.app(), handler_cancellation=True, shutdown_timeout=0.1, access_log=None
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port, ssl_context=tls).start()
        scheme = "http" if tls is None else "https"
        service.url = f"{scheme}://127.0.0.1:{runner.addresses[0][1]}"
        yield service
    finally:
        await runner.cleanup()
