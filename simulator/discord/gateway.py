"""Discord's gateway, version 10: how the bot is told of what happens."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from aiohttp import WSMsgType, web

from simulator.discord.gateway_link import GatewayLink
from simulator.discord.gateway_session import GatewaySession, Intent
from simulator.discord.guild_wire import guild_create_json, members_chunk_json, ready_json
from simulator.discord.journal import GatewayClosed, GatewayOpened, Journal, PresenceChanged
from simulator.discord.model import Json
from simulator.discord.session_starts import SessionStarts
from simulator.discord.settings import Settings
from simulator.discord.voice.desk import VoiceDesk
from simulator.discord.world import World

_HEARTBEAT, _IDENTIFY, _RESUME, _INVALID_SESSION, _HELLO, _ACK = 1, 2, 6, 9, 10, 11
_RECONNECT = 7
_PRESENCE, _VOICE_STATE, _REQUEST_MEMBERS = 3, 4, 8
_UNKNOWN_OPCODE, _DECODE_ERROR, _NOT_AUTHENTICATED = 4001, 4002, 4003
_AUTHENTICATION_FAILED, _ALREADY_AUTHENTICATED, _TIMED_OUT = 4004, 4005, 4009
_RATE_LIMITED = 4008
_DISALLOWED_INTENTS = 4014
_MINUTE_SECONDS = 60.0
_SESSIONS = 8
_NORMAL_CLOSURES = frozenset({1000, 1001})
"""A client that closes with one of these does not want to resume."""
_REQUIRED = {
    _IDENTIFY: ("token", "intents"),
    _RESUME: ("token", "session_id", "seq"),
    _REQUEST_MEMBERS: ("guild_id",),
    _PRESENCE: ("since", "activities", "status", "afk"),
    _VOICE_STATE: ("guild_id", "channel_id", "self_mute", "self_deaf"),
}
_Handler = Callable[[GatewayLink, Any], None]


class Gateway:
    """The sessions of the bot; events go to all of them."""

    def __init__(self, world: World, journal: Journal, settings: Settings) -> None:
        self._world = world
        self._journal = journal
        self._settings = settings
        self.session_starts = SessionStarts(settings)
        self._sessions: dict[str, GatewaySession] = {}
        self._links: set[GatewayLink] = set()
        self._voice: VoiceDesk | None = None
        self._handlers: dict[int, _Handler] = {
            _HEARTBEAT: self._heartbeat,
            _IDENTIFY: self._identify,
            _RESUME: self._resume,
            _REQUEST_MEMBERS: self._request_members,
            _PRESENCE: self._change_presence,
            _VOICE_STATE: self._ask_for_voice,
        }

    @property
    def is_connected(self) -> bool:
        """Whether the bot is logged in and listening."""
        return any(session.link is not None for session in self._sessions.values())

    def serve_voice(self, voice: VoiceDesk) -> None:
        """Hand what clients want of voice to `voice` from now on."""
        self._voice = voice

    def has_connection(self, session_id: str) -> bool:
        """Say whether a session is connected."""
        session = self._sessions.get(session_id)
        return session is not None and session.link is not None

    def dispatch(
        self,
        name: str,
        data: Json,
        *,
        intent: Intent = Intent.NONE,
        without_content: Json | None = None,
    ) -> None:
        """Tell every session that wants to know.

        Args:
            name: The event, such as `MESSAGE_CREATE`.
            data: Its payload.
            intent: What a session must have asked for.
            without_content: The payload for sessions that may not read messages.
        """
        for session in self._sessions.values():
            if not session.wants(intent):
                continue
            may_read = without_content is None or session.wants(Intent.MESSAGE_CONTENT)
            session.dispatch(name, data if may_read else without_content or {})

    def close_all(self, code: int) -> None:
        """Close every websocket with `code`; their sessions can be resumed."""
        for link in tuple(self._links):
            link.close(code)

    async def drop(self, code: int, *, timeout_seconds: float) -> None:
        """Close every websocket with `code`, and return when they are closed.

        Raises:
            TimeoutError: If one was still open then.
        """
        dropped = frozenset(self._links)
        self.close_all(code)
        await self._journal.until(
            lambda: dropped.isdisjoint(self._links) or None, timeout_seconds=timeout_seconds
        )

    def invalidate(self, *, can_resume: bool) -> None:
        """Tell every client that its session is not good any more."""
        if not can_resume:
            self.forget_sessions()
        self._send_all(_INVALID_SESSION, data=can_resume)

    def ask_to_reconnect(self) -> None:
        """Tell every client to come back over another connection."""
        self._send_all(_RECONNECT)

    def send_raw(self, text: str) -> None:
        """Send every client a frame as it is, whatever it may hold."""
        for link in self._links:
            link.put_raw(text)

    def forget_sessions(self) -> None:
        """Let no session be resumed; a client that tries must identify anew."""
        self._sessions.clear()

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one websocket until it ends."""
        link = GatewayLink(
            is_compressed=request.query.get("compress") == "zlib-stream",
            delay_seconds=lambda: self._settings.event_delay_seconds,
        )
        await link.socket.prepare(request)
        self._links.add(link)
        link.send(_HELLO, {"heartbeat_interval": round(self._settings.heartbeat_seconds * 1000)})
        try:
            async with asyncio.TaskGroup() as tasks:
                writer = tasks.create_task(link.write_all())
                await self._read_all(link)
                writer.cancel()
        finally:
            self._links.discard(link)
            self._detach(link)
        return link.socket

    def _send_all(self, op: int, data: Any = None) -> None:
        for link in self._links:
            if link.session_id is not None:
                link.send(op, data)

    async def _read_all(self, link: GatewayLink) -> None:
        patience_seconds = 2 * self._settings.heartbeat_seconds
        while True:
            try:
                async with asyncio.timeout(patience_seconds):
                    message = await link.socket.receive()
            except TimeoutError:
                link.close(_TIMED_OUT)
                continue
            if message.type is WSMsgType.TEXT and not self._is_allowance_left(link):
                link.close(_RATE_LIMITED)
            elif message.type is WSMsgType.TEXT:
                self._handle(link, message.data)
            elif message.type is not WSMsgType.BINARY:
                return

    def _is_allowance_left(self, link: GatewayLink) -> bool:
        sent = link.count_frame(now=self._world.clock.seconds(), window_seconds=_MINUTE_SECONDS)
        return sent <= self._settings.sends_per_minute

    def _handle(self, link: GatewayLink, text: str) -> None:
        try:
            frame = json.loads(text)
            op, data = frame["op"], frame.get("d")
            is_complete = all(key in data for key in _REQUIRED.get(op, ()))
        except (ValueError, TypeError, KeyError):
            link.close(_DECODE_ERROR)
            return
        handler = self._handlers.get(op)
        if handler is None:
            link.close(_UNKNOWN_OPCODE)
        elif not is_complete:
            link.close(_DECODE_ERROR)
        elif link.session_id is None and op not in {_HEARTBEAT, _IDENTIFY, _RESUME}:
            link.close(_NOT_AUTHENTICATED)
        else:
            handler(link, data)

    def _detach(self, link: GatewayLink) -> None:
        code = link.closed_with or link.socket.close_code
        session = self._sessions.get(link.session_id or "")
        if session is not None and session.link is link:
            session.link = None
            is_over = code in _NORMAL_CLOSURES and link.closed_with is None
            if is_over:
                del self._sessions[session.id]
            if self._voice is not None:
                self._voice.session_lost(session.id, is_over=is_over)
        self._journal.record(
            GatewayClosed(
                at_seconds=self._world.clock.seconds(),
                session_id=link.session_id,
                code=None if code is None else int(code),
            )
        )

    def _heartbeat(self, link: GatewayLink, data: Any) -> None:
        del data
        link.send(_ACK)

    def _ask_for_voice(self, link: GatewayLink, data: Json) -> None:
        if self._voice is not None and link.session_id is not None:
            self._voice.ask(link.session_id, data)

    def _change_presence(self, link: GatewayLink, data: Json) -> None:
        del link
        self._journal.record(
            PresenceChanged(
                at_seconds=self._world.clock.seconds(),
                status=data["status"],
                activities=tuple(data["activities"]),
            )
        )

    def _identify(self, link: GatewayLink, data: Json) -> None:
        if link.session_id is not None:
            link.close(_ALREADY_AUTHENTICATED)
            return
        if data["token"] != self._settings.token:
            link.close(_AUTHENTICATION_FAILED)
            return
        intents: int = data["intents"]
        if intents & Intent.MESSAGE_CONTENT and not self._settings.is_message_content_allowed:
            link.close(_DISALLOWED_INTENTS)
            return
        if not self.session_starts.count(now=self._world.clock.seconds()):
            self._reset_token(link)
            return
        session = GatewaySession(f"session-{self._world.ids.next()}", intents=intents, link=link)
        link.session_id = session.id
        self._keep(session)
        ready = ready_json(self._world, session_id=session.id, shard=data.get("shard") or [0, 1])
        session.dispatch("READY", ready | {"resume_gateway_url": self._settings.gateway_url})
        session.dispatch("GUILD_CREATE", guild_create_json(self._world))
        self._opened(session, was_resumed=False)
        if presence := data.get("presence"):
            self._change_presence(link, {"activities": [], "status": "online"} | presence)

    def _reset_token(self, link: GatewayLink) -> None:
        """Do what Discord does to a bot that starts sessions without end."""
        self._settings.token = f"reset-{self._world.ids.next()}"
        self.forget_sessions()
        self.close_all(_AUTHENTICATION_FAILED)
        link.close(_AUTHENTICATION_FAILED)

    def _keep(self, session: GatewaySession) -> None:
        gone = [one for one in self._sessions.values() if one.link is None]
        for old in gone[: max(0, len(self._sessions) + 1 - _SESSIONS)]:
            del self._sessions[old.id]
        self._sessions[session.id] = session

    def _resume(self, link: GatewayLink, data: Json) -> None:
        if data["token"] != self._settings.token:
            link.close(_AUTHENTICATION_FAILED)
            return
        session = self._sessions.get(data["session_id"])
        if session is None or not session.resume(link, after=data["seq"] or 0):
            link.send(_INVALID_SESSION, data=False)
            return
        link.session_id = session.id
        self._opened(session, was_resumed=True)

    def _opened(self, session: GatewaySession, *, was_resumed: bool) -> None:
        self._journal.record(
            GatewayOpened(
                at_seconds=self._world.clock.seconds(),
                session_id=session.id,
                was_resumed=was_resumed,
            )
        )

    def _request_members(self, link: GatewayLink, data: Json) -> None:
        session = self._sessions.get(link.session_id or "")
        if session is None:
            return
        session.dispatch("GUILD_MEMBERS_CHUNK", members_chunk_json(self._world, data))
