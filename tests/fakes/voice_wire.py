"""A bot that speaks the frames of both gateways itself, to see what the voice server does."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from simulator.discord import DiscordSimulator
from simulator.discord.voice.channel import VoiceChannel

Frame = dict[str, Any]
_INTENTS = 1 << 0 | 1 << 7


class Wire:
    """One websocket."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    async def send(self, op: int, data: Any = None) -> None:
        await self._socket.send_json({"op": op, "d": data})

    async def send_text(self, text: str) -> None:
        await self._socket.send_str(text)

    async def send_bytes(self, data: bytes) -> None:
        await self._socket.send_bytes(data)

    async def close(self) -> None:
        await self._socket.close()

    async def next(self) -> Frame:
        """Return the next frame; a binary one as `{"op", "seq", "bytes"}`."""
        async with asyncio.timeout(5):
            message = await self._socket.receive()
        if message.type is aiohttp.WSMsgType.BINARY:
            data: bytes = message.data
            return {"op": data[2], "seq": int.from_bytes(data[:2]), "bytes": data[3:]}
        assert message.type is aiohttp.WSMsgType.TEXT, message
        frame: Frame = json.loads(message.data)
        return frame

    async def until(self, wanted: int | str) -> Frame:
        """Return the next frame with that number, or the next event of that name."""
        while True:
            frame = await self.next()
            if wanted in {frame["op"], frame.get("t")}:
                return frame

    async def close_code(self) -> int | None:
        async with asyncio.timeout(5):
            while not self._socket.closed:
                await self._socket.receive()
        return self._socket.close_code


class BareBot:
    """Logged in at the gateway; knows what it was told of voice."""

    def __init__(self, discord: DiscordSimulator, session: aiohttp.ClientSession) -> None:
        self._discord = discord
        self._session = session
        self.gateway: Wire
        self.guild: Frame = {}
        self.state: Frame = {}
        self.server: Frame = {}

    async def log_in(self) -> None:
        url = f"ws://127.0.0.1:{self._discord.http_port}/gateway?v=10"
        self.gateway = Wire(await self._session.ws_connect(url))
        await self.gateway.send(2, {"token": self._discord.token, "intents": _INTENTS})
        self.guild = (await self.gateway.until("GUILD_CREATE"))["d"]

    async def ask(self, channel: VoiceChannel | None, **more: Any) -> None:
        """Ask for a voice channel, or to be in none."""
        asked = {
            "guild_id": str(self._discord.guild.id),
            "channel_id": None if channel is None else str(channel.id),
            "self_mute": False,
            "self_deaf": False,
        }
        await self.gateway.send(4, asked | more)

    async def told(self) -> None:
        """Take the state and the server that it is told."""
        while True:
            frame = await self.gateway.until("VOICE_STATE_UPDATE")
            if frame["d"]["user_id"] == str(self._discord.bot.id):
                break
        self.state = frame["d"]
        self.server = (await self.gateway.until("VOICE_SERVER_UPDATE"))["d"]

    async def connect(self, version: int = 8, *, host: str = "localhost") -> Wire:
        """Connect to the voice server, before it says hello."""
        url = f"ws://127.0.0.1:{self._discord.http_port}/?v={version}"
        return Wire(await self._session.ws_connect(url, headers={"Host": host}))

    def identity(self, **other: Any) -> Frame:
        """Return with what it identifies itself at the voice server."""
        return {
            "server_id": str(self._discord.guild.id),
            "user_id": str(self._discord.bot.id),
            "session_id": self.state.get("session_id", ""),
            "token": self.server.get("token", ""),
            "max_dave_protocol_version": 1,
        } | other

    async def join(self, channel: VoiceChannel) -> Wire:
        """Join a channel, and return the connection once packets could be exchanged."""
        await self.ask(channel)
        await self.told()
        wire = await self.connect()
        await wire.send(0, self.identity())
        await wire.until(2)
        await wire.send(1, selection())
        await wire.until(4)
        return wire


def selection(mode: str = "aead_aes256_gcm_rtpsize", protocol: str = "udp") -> Frame:
    """Return how packets are to be exchanged."""
    return {"protocol": protocol, "data": {"address": "127.0.0.1", "port": 1, "mode": mode}}


@asynccontextmanager
async def bare_bot(discord: DiscordSimulator) -> AsyncIterator[BareBot]:
    """Run it while the block lasts."""
    async with aiohttp.ClientSession() as session:
        bot = BareBot(discord, session)
        await bot.log_in()
        yield bot
