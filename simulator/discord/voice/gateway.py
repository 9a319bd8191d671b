"""The voice gateway, version 8: how a client gets into a call, and what it says there."""

import asyncio
import json
import logging
import secrets
from collections.abc import Callable
from typing import Any

from aiohttp import WSMsgType, web

from simulator.discord.model import Json
from simulator.discord.voice.calls import Calls
from simulator.discord.voice.client import Client
from simulator.discord.voice.happenings import VoiceClosed, VoiceOpened
from simulator.discord.voice.mls import MlsError, user_of_key_package
from simulator.discord.voice.opcodes import CloseCode, Op
from simulator.discord.voice.transport import KEY_BYTES, KNOWN_MODES
from simulator.discord.voice.voice_socket import VoiceSocket

logger = logging.getLogger(__name__)

VERSION = 8
_Handler = Callable[[Json], None]
_ClientHandler = Callable[[Client, Json], None]
_REQUIRED = {
    Op.IDENTIFY: ("server_id", "user_id", "session_id", "token"),
    Op.SELECT_PROTOCOL: ("protocol", "data"),
    Op.HEARTBEAT: ("t",),
    Op.SPEAKING: ("speaking", "ssrc"),
    Op.RESUME: ("server_id", "session_id", "token"),
    Op.DAVE_TRANSITION_READY: ("transition_id",),
    Op.MLS_INVALID_COMMIT_WELCOME: ("transition_id",),
}


class VoiceGateway:
    """Serves the voice connections of the bot."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._connections: set[_Connection] = set()
        self._refusals: list[int] = []

    def refuse_next(self, code: int, *, times: int) -> None:
        """Close the next connections when they identify themselves."""
        self._refusals += [code] * times

    def close_all(self, code: int) -> None:
        """Close every connection."""
        for connection in self._connections:
            connection.socket.close(code)

    async def drop(self, code: int | None, *, timeout_seconds: float) -> None:
        """Close every connection, and return when they are closed; `None` cuts them instead.

        Raises:
            TimeoutError: If one was still open then.
        """
        dropped = frozenset(self._connections)
        if code is None:
            for connection in dropped:
                connection.cut()
        else:
            self.close_all(code)
        await self._calls.journal.until(
            lambda: dropped.isdisjoint(self._connections) or None, timeout_seconds=timeout_seconds
        )

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one websocket until it ends."""
        connection = _Connection(self._calls, self._refusals, request.transport)
        socket = connection.socket
        await socket.websocket.prepare(request)
        self._connections.add(connection)
        if request.query.get("v") != str(VERSION):
            socket.close(CloseCode.UNKNOWN_PROTOCOL)
        try:
            async with asyncio.TaskGroup() as tasks:
                writer = tasks.create_task(socket.write_all())
                await connection.read_all()
                writer.cancel()
        finally:
            self._connections.discard(connection)
            connection.end()
        return socket.websocket


class _Connection:
    """One websocket, and the client that identified itself over it."""

    def __init__(
        self, calls: Calls, refusals: list[int], transport: asyncio.Transport | None
    ) -> None:
        self.socket = VoiceSocket()
        self._transport = transport
        self._calls = calls
        self._refusals = refusals
        self._client: Client | None = None
        self._handlers: dict[int, _Handler] = {
            Op.IDENTIFY: self._identify,
            Op.RESUME: self._resume,
            Op.HEARTBEAT: self._heartbeat,
        }
        self._handlers_of_client: dict[int, _ClientHandler] = {
            Op.SELECT_PROTOCOL: self._select_protocol,
            Op.SPEAKING: self._speaking,
            Op.DAVE_TRANSITION_READY: self._transition_ready,
            Op.VIDEO: self._take_note,
            # The client offers a new key package right away, with which it is added anew.
            Op.MLS_INVALID_COMMIT_WELCOME: self._take_note,
        }

    async def read_all(self) -> None:
        """Answer what comes in until it ends."""
        interval_seconds = self._calls.settings.heartbeat_seconds
        self._tell(Op.HELLO, {"v": VERSION, "heartbeat_interval": interval_seconds * 1000})
        while True:
            try:
                async with asyncio.timeout(2 * interval_seconds):
                    message = await self.socket.websocket.receive()
            except TimeoutError:
                self.socket.close(CloseCode.SESSION_TIMEOUT)
                continue
            if message.type is WSMsgType.TEXT:
                self._handle(message.data)
            elif message.type is WSMsgType.BINARY:
                self._handle_bytes(message.data)
            else:
                return

    def cut(self) -> None:
        """Let it break without a word, as when the server crashes."""
        if self._transport is not None:
            self._transport.abort()

    def end(self) -> None:
        """Take note that it ended."""
        code = self.socket.closed_with or self.socket.websocket.close_code
        now = self._calls.world.clock.seconds()
        closed = VoiceClosed(at_seconds=now, code=None if code is None else int(code))
        self._calls.journal.record(closed)
        client = self._client
        if client is not None and client.socket is self.socket:
            client.socket = None
            self._calls.client_lost(client)

    def _tell(self, op: Op, data: Any) -> None:
        self.socket.put(json.dumps({"op": op, "d": data}))

    def _handle(self, text: str) -> None:
        try:
            frame = json.loads(text)
            op, data = frame["op"], frame["d"]
            is_complete = all(key in data for key in _REQUIRED.get(op, ()))
        except (ValueError, TypeError, KeyError):
            self.socket.close(CloseCode.FAILED_TO_DECODE)
            return
        if not is_complete:
            self.socket.close(CloseCode.FAILED_TO_DECODE)
        elif op in self._handlers:
            self._handlers[op](data)
        elif op not in self._handlers_of_client:
            self.socket.close(CloseCode.UNKNOWN_OPCODE)
        elif self._client is None:
            self.socket.close(CloseCode.NOT_AUTHENTICATED)
        else:
            self._handlers_of_client[op](self._client, data)

    def _handle_bytes(self, message: bytes) -> None:
        client = self._client
        if client is None or not message:
            self.socket.close(CloseCode.NOT_AUTHENTICATED)
        elif message[0] == Op.MLS_KEY_PACKAGE:
            self._offer(client, message[1:])
        elif message[0] == Op.MLS_COMMIT_WELCOME:
            client.call.commit(client.account, message[1:])
        else:
            self.socket.close(CloseCode.UNKNOWN_OPCODE)

    def _offer(self, client: Client, key_package: bytes) -> None:
        try:
            is_own = user_of_key_package(key_package) == client.account.id
        except MlsError as error:
            logger.warning("a key package was refused: %s", error)
            is_own = False
        if is_own:
            client.call.offer(client.account, key_package)
        else:
            self.socket.close(CloseCode.FAILED_TO_DECODE)

    def _identify(self, data: Json) -> None:
        if self._client is not None:
            self.socket.close(CloseCode.ALREADY_AUTHENTICATED)
            return
        if self._refusals:
            self.socket.close(self._refusals.pop(0))
            return
        state = self._calls.admit(
            token=data["token"], session_id=data["session_id"], user_id=data["user_id"]
        )
        if state is None or data["server_id"] != str(self._calls.world.guild.id):
            self.socket.close(CloseCode.SESSION_NO_LONGER_VALID)
            return
        wanted = self._calls.call_in(state.channel).dave_version
        if wanted and not data.get("max_dave_protocol_version"):
            self.socket.close(CloseCode.ENCRYPTION_REQUIRED)
            return
        client = self._client = self._calls.identify(state, data["token"])
        client.socket = self.socket
        self._tell(Op.READY, self._ready_json(client))

    def _ready_json(self, client: Client) -> Json:
        return {
            "ssrc": client.ssrc,
            "ip": "127.0.0.1",
            "port": self._calls.udp.port,
            "modes": list(self._calls.settings.modes),
            "experiments": [],
            "streams": [],
        }

    def _select_protocol(self, client: Client, data: Json) -> None:
        mode = data["data"].get("mode")
        if data["protocol"] != "udp":
            self.socket.close(CloseCode.UNKNOWN_PROTOCOL)
            return
        if mode not in KNOWN_MODES.intersection(self._calls.settings.modes):
            self.socket.close(CloseCode.UNKNOWN_ENCRYPTION_MODE)
            return
        if client is not self._calls.client:
            self.socket.close(CloseCode.DISCONNECTED)
            return
        key = secrets.token_bytes(KEY_BYTES)
        client.encrypt_with(mode, key)
        description: Json = {
            "mode": mode,
            "secret_key": list(key),
            "dave_protocol_version": client.call.dave_version,
            "audio_codec": "opus",
            "media_session_id": secrets.token_hex(8),
            "video_codec": None,
        }
        self._tell(Op.SESSION_DESCRIPTION, description)
        client.call.join(client)
        self._opened(client, was_resumed=False)

    def _opened(self, client: Client, *, was_resumed: bool) -> None:
        self._calls.journal.record(
            VoiceOpened(
                at_seconds=self._calls.world.clock.seconds(),
                account=client.account,
                mode=client.mode,
                was_resumed=was_resumed,
            )
        )

    def _resume(self, data: Json) -> None:
        client = self._calls.resumable(token=data["token"], session_id=data["session_id"])
        if client is None or not client.mode:
            self.socket.close(CloseCode.SESSION_NO_LONGER_VALID)
            return
        self._client = client
        client.resume(self.socket, after=int(data.get("seq_ack", -1)))
        self._opened(client, was_resumed=True)

    def _heartbeat(self, data: Json) -> None:
        self._tell(Op.HEARTBEAT_ACK, {"t": data["t"]})

    def _speaking(self, client: Client, data: Json) -> None:
        client.start_sending(is_speaking=bool(data["speaking"]))

    def _transition_ready(self, client: Client, data: Json) -> None:
        client.call.ready(client.account, int(data["transition_id"]))

    def _take_note(self, client: Client, data: Json) -> None:
        """Accept what changes nothing here."""
