"""discord.py's course of a voice connection, with what it gets wrong put right.

It leans on names of discord.py 2.7.1 that are not public; a test fails if one of them changes.
"""

import asyncio
import logging
import struct
from typing import TYPE_CHECKING, Any, Protocol

import discord
from discord.gateway import DiscordVoiceWebSocket
from discord.utils import MISSING
from discord.voice_state import ConnectionFlowState, VoiceConnectionState

from bot.discord_io.voice.close_codes import Sequel, sequel_of
from bot.discord_io.voice.datagrams import DatagramSocket
from bot.discord_io.voice.options import VoiceOptions
from bot.discord_io.voice.websocket import ReceivingWebSocket

if TYPE_CHECKING:
    from discord.types.voice import GuildVoiceState
    from discord.voice_client import VoiceClient

logger = logging.getLogger(__name__)

_DISCOVERY = struct.Struct(">HHI66x")
_DISCOVERY_REQUEST = 1
_DISCOVERY_BYTES = 70
_DISCOVERY_ANSWER = b"\x00\x02"
_DISCOVERY_TRIES = 10
_KEEPALIVE = struct.Struct("<Q")


class Ears(Protocol):
    """Whoever is told what comes in on a connection; all of it on the loop's thread."""

    def datagram(self, data: bytes) -> None:
        """A packet has come in."""
        ...

    def echo(self) -> None:
        """A keepalive was answered."""
        ...

    async def message(self, websocket: DiscordVoiceWebSocket, message: dict[str, Any]) -> None:
        """The voice server has said something that is not about keys."""
        ...

    def odd_message(self) -> None:
        """It has said something that could not be handled."""
        ...

    def ended(self, code: int | None) -> None:
        """The connection is over; nothing more comes."""
        ...


class ReceivingState(VoiceConnectionState):
    """A voice connection that hands over what it receives, and says when it is over.

    Of itself it goes on only when it was moved, or was given another server. All else that breaks
    it, it leaves to whoever `ears` tells: discord.py waits for up to 2, 4, 8 ... seconds before it
    connects anew, and after some close codes it waits in vain, or ends.
    """

    def __init__(self, voice_client: "VoiceClient", ears: Ears, options: VoiceOptions) -> None:
        super().__init__(voice_client, hook=ears.message)
        self.ears = ears
        self.options = options
        self._has_left = False
        self._discovery: asyncio.Future[bytes] | None = None
        self._keepalives = 0

    async def discovered(self) -> bytes:
        """Ask the voice server at which address it sees the bot, until it answers.

        Raises:
            TimeoutError: If it does not.
        """
        self._discovery = asyncio.get_running_loop().create_future()
        request = _DISCOVERY.pack(_DISCOVERY_REQUEST, _DISCOVERY_BYTES, self.ssrc)
        for _ in range(_DISCOVERY_TRIES):
            self.send_packet(request)
            await asyncio.wait([self._discovery], timeout=self.options.discovery_seconds)
            if self._discovery.done():
                return self._discovery.result()
        raise TimeoutError

    def keep_alive(self) -> None:
        """Send a datagram that means nothing, so that routers keep the way open."""
        self._keepalives += 1
        try:
            self.send_packet(_KEEPALIVE.pack(self._keepalives))
        except OSError:
            logger.debug("a keepalive of a voice connection could not be sent", exc_info=True)

    async def voice_state_update(self, data: "GuildVoiceState") -> None:
        """Called by discord.py for each voice state of the bot."""
        is_in = self.state not in {
            ConnectionFlowState.disconnected,
            ConnectionFlowState.set_guild_voice_state,
        }
        # Before it is in, the word that it is out is about an earlier connection; discord.py would
        # give up this one.
        if not is_in and not data["channel_id"]:
            return
        await super().voice_state_update(data)

    async def abandon(self) -> None:
        """End what is still under way of it."""
        # discord.py does not say what its tasks return.
        for task in (self._connector, self._runner):  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
            if task is not None and not task.done() and task is not asyncio.current_task():
                task.cancel()
                await asyncio.wait({task}, timeout=self.options.leave_seconds)  # pyright: ignore[reportUnknownArgumentType]

    async def _voice_disconnect(self) -> None:
        # discord.py asks up to three times to be let out, and there is a limit for all it may ask.
        if not self._has_left:
            self._has_left = True
            await super()._voice_disconnect()
        self.state = ConnectionFlowState.disconnected

    def _datagram(self, data: bytes) -> None:
        if len(data) == _DISCOVERY.size and data.startswith(_DISCOVERY_ANSWER):
            if self._discovery is not None and not self._discovery.done():
                self._discovery.set_result(data)
        elif len(data) == _KEEPALIVE.size:
            self.ears.echo()
        else:
            self.ears.datagram(data)

    def _create_socket(self) -> None:
        # discord.py leaves the old one open when the bot is moved.
        if self.socket is not MISSING:
            self.socket.close()
        self.socket = DatagramSocket(self.voice_client.loop, self._datagram)

    async def _connect_websocket(self, resume: bool) -> DiscordVoiceWebSocket:  # noqa: FBT001 - discord.py's
        websocket = await ReceivingWebSocket.from_connection_state(
            self, resume=resume, hook=self.hook
        )
        self.state = ConnectionFlowState.websocket_connected
        return websocket

    async def _handshake_websocket(self) -> None:
        await super()._handshake_websocket()
        # It stays set after a reconnection, and then a move would count as being thrown out.
        self._disconnected.clear()

    async def _poll_voice_ws(self, reconnect: bool) -> None:  # noqa: FBT001 - discord.py's
        del reconnect
        code = None
        try:
            while True:
                try:
                    await self.ws.poll_event()
                except (discord.ConnectionClosed, TimeoutError) as error:
                    code = error.code if isinstance(error, discord.ConnectionClosed) else None
                    if not await self._goes_on_elsewhere(code):
                        break
        except Exception:
            logger.exception("a voice connection failed")
        self.ears.ended(code)

    async def _goes_on_elsewhere(self, code: int | None) -> bool:
        """Say whether the bot was moved, or given another server, and is connected there."""
        if sequel_of(code) is not Sequel.ASK_WHY:
            return False
        try:
            async with asyncio.timeout(self.options.word_seconds):
                await self._has_word()
            async with asyncio.timeout(self.options.move_seconds):
                return await self._potential_reconnect()
        except TimeoutError:
            return False

    async def _has_word(self) -> None:
        """Wait until it is known where to go on, or that the bot has left."""
        while self.state not in {
            ConnectionFlowState.got_voice_server_update,
            ConnectionFlowState.got_both_voice_updates,
            ConnectionFlowState.disconnected,
        }:
            await self._state_event.wait()
