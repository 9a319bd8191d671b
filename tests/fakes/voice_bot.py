"""A bot on the plain discord.py that joins voice channels, sends Opus, and opens what it gets."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import davey
import discord
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt

from simulator.discord import DiscordSimulator, loopback_connector
from simulator.discord.voice.channel import VoiceChannel
from tests.fakes.sample_bot import stop_heartbeats

XCHACHA20 = "aead_xchacha20_poly1305_rtpsize"
SILENCE = b"\xf8\xff\xfe"


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """An Opus packet, and who sent it."""

    user_id: int
    sequence: int
    timestamp: int
    opus: bytes


class Packets(discord.AudioSource):
    """Opus packets to be played."""

    def __init__(self, packets: Sequence[bytes]) -> None:
        self._packets = iter(packets)

    def is_opus(self) -> bool:
        return True

    def read(self) -> bytes:
        return next(self._packets, b"")


class HearingClient(discord.VoiceClient):
    """discord.py's client with a small receiver: no more than what the simulator's tests need."""

    def __init__(self, client: discord.Client, channel: Any) -> None:
        super().__init__(client, channel)
        self.users: dict[int, int] = {}
        """By SSRC, as op 5 told."""
        self.received: list[Received] = []
        self.refused: list[str] = []
        """Why a packet could not be opened."""
        self.padded_count = 0
        self._early: list[tuple[bytes, bytes]] = []
        """Packets that came before it was told whose they are."""
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._connection.hook = self._on_message
        self._connection.add_socket_listener(self._on_datagram)

    async def _on_message(self, websocket: Any, message: dict[str, Any]) -> None:
        del websocket
        if message["op"] == 5:
            self.users[message["d"]["ssrc"]] = int(message["d"]["user_id"])
            early, self._early = self._early, []
            for body, header in early:
                self._keep(body, header)

    def _on_datagram(self, data: bytes) -> None:
        if data[1] & 0x7F == 120:
            self._loop.call_soon_threadsafe(self._take, data)

    def _take(self, data: bytes) -> None:
        state = self._connection
        size = 12 + 4 * (data[0] & 15) + (4 if data[0] & 0x10 else 0)
        header, sealed, nonce = data[:size], data[size:-4], data[-4:]
        key = bytes(state.secret_key)
        if state.mode == XCHACHA20:
            body = crypto_aead_xchacha20poly1305_ietf_decrypt(
                sealed, header, nonce + bytes(20), key
            )
        else:
            body = AESGCM(key).decrypt(nonce + bytes(8), sealed, header)
        if data[0] & 0x20:
            self.padded_count += 1
            body = body[: -body[-1]]
        if data[0] & 0x10:
            body = body[4 * int.from_bytes(header[-2:]) :]
        self._keep(body, header)

    def _keep(self, body: bytes, header: bytes) -> None:
        session, user_id = (
            self._connection.dave_session,
            self.users.get(int.from_bytes(header[8:12])),
        )
        if user_id is None:
            self._early.append((body, header))
            return
        if self._connection.dave_protocol_version and body != SILENCE:
            try:
                assert session is not None
                body = session.decrypt(user_id, davey.MediaType.audio, body)
            except ValueError as error:
                self.refused.append(str(error))
                return
        sequence, timestamp = int.from_bytes(header[2:4]), int.from_bytes(header[4:8])
        self.received.append(
            Received(user_id=user_id, sequence=sequence, timestamp=timestamp, opus=body)
        )
        self._changed.set()
        self._changed = asyncio.Event()

    async def changed(self) -> None:
        """Wait for the next packet."""
        await self._changed.wait()

    def heard(self, user_id: int) -> list[bytes]:
        """Return the packets of somebody that are not silence."""
        return [one.opus for one in self.received if one.user_id == user_id and one.opus != SILENCE]

    async def say(self, packets: Sequence[bytes]) -> None:
        """Play packets, and return when they are played."""
        done = asyncio.Event()

        def end(error: Exception | None) -> None:
            assert error is None
            self._loop.call_soon_threadsafe(done.set)

        self.play(Packets(packets), after=end)
        async with asyncio.timeout(20):
            await done.wait()


class GcmClient(HearingClient):
    """The same with the mode that Discord prefers, and discord.py lacks."""

    supported_modes: Any = ("aead_aes256_gcm_rtpsize",)

    def _encrypt_aead_aes256_gcm_rtpsize(self, header: bytes, data: bytes) -> bytes:
        nonce = self._incr_nonce.to_bytes(4)
        self._incr_nonce += 1
        sealed = AESGCM(bytes(self.secret_key)).encrypt(
            nonce + bytes(8), bytes(data), bytes(header)
        )
        return bytes(header) + sealed + nonce


class VoiceBot(discord.Client):
    """Joins voice channels when it is told to."""

    def __init__(self, simulator: DiscordSimulator) -> None:
        super().__init__(
            intents=discord.Intents(guilds=True, voice_states=True),
            connector=loopback_connector(port=simulator.tls_port, ca_path=simulator.ca_path),
            guild_ready_timeout=0.05,
        )
        self.ready = asyncio.Event()
        self._told = asyncio.Event()

    async def on_ready(self) -> None:
        self.ready.set()

    async def on_guild_channel_create(self, channel: discord.abc.GuildChannel) -> None:
        del channel
        self._told.set()
        self._told = asyncio.Event()

    async def place(self, channel: VoiceChannel) -> Any:
        """Return a channel as discord.py knows it, once it knows it."""
        async with asyncio.timeout(5):
            while (found := self.get_channel(channel.id)) is None:
                await self._told.wait()
        return found

    async def join(
        self,
        channel: VoiceChannel,
        kind: type[HearingClient] = HearingClient,
        *,
        timeout_seconds: float = 10.0,
    ) -> HearingClient:
        """Join a channel, and return once all in it can hear each other."""
        place = await self.place(channel)
        joined: HearingClient = await place.connect(cls=kind, timeout=timeout_seconds)
        await channel.connected()
        return joined


@asynccontextmanager
async def running_voice_bot(simulator: DiscordSimulator) -> AsyncIterator[VoiceBot]:
    """Run the bot while the block lasts; it is logged in and ready."""
    bot = VoiceBot(simulator)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(bot.start(simulator.token))
        try:
            async with asyncio.timeout(20):
                await bot.ready.wait()
            yield bot
        finally:
            for client in bot.voice_clients:
                await client.disconnect(force=True)
            await bot.close()
            stop_heartbeats()
            running.cancel()
