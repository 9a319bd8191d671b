"""One connection to a voice server, from dialling until it ends."""

import asyncio
import logging
from collections import Counter
from typing import Any, Protocol

import aiohttp
import discord
from discord.gateway import DiscordVoiceWebSocket

from bot.discord_io.voice import end_to_end
from bot.discord_io.voice.deafness import Deafness
from bot.discord_io.voice.endings import Broke, Ending, WentDeaf
from bot.discord_io.voice.options import VoiceOptions
from bot.discord_io.voice.receiving_client import ReceivingVoiceClient
from bot.discord_io.voice.unsealing import Unsealer
from bot.discord_io.voice.websocket import ReceivingWebSocket
from voice.events import HeardPacket

logger = logging.getLogger(__name__)

_Socket = DiscordVoiceWebSocket


class Taker(Protocol):
    """Whoever is given what comes in: a link."""

    @property
    def counts(self) -> Counter[str]:
        """Of packets, by what became of them."""
        ...

    def take(self, packet: HeardPacket) -> None:
        """Somebody has said something."""
        ...

    def session_began(self) -> None:
        """The voice server begins anew."""
        ...


class Connection:
    """Implements `Ears` for a voice client, and remembers how it ended.

    Args:
        taker: Given what comes in.
        deafness: Judges whether too much cannot be decrypted.
        options: Limits.
    """

    def __init__(self, taker: Taker, deafness: Deafness, options: VoiceOptions) -> None:
        self.ended_with: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        """Set once."""
        self.sessions = 0
        """How many there were: it goes on in another one when the bot is moved."""
        self._taker = taker
        self._deafness = deafness
        self._options = options
        self._loop = asyncio.get_running_loop()
        self._voice: ReceivingVoiceClient | None = None
        self._unsealer: Unsealer | None = None
        self._own_id = 0
        self._unanswered = 0
        self._was_answered = False
        self._keyless_beats = 0
        self._has_failed = False

    @property
    def voice(self) -> ReceivingVoiceClient:
        """The voice client, once it was opened."""
        assert self._voice is not None
        return self._voice

    @property
    def round_trip_seconds(self) -> float | None:
        """How long the voice server takes to answer; `None` until it has."""
        socket: object = self.voice.receiving.ws
        return socket.round_trip_seconds if isinstance(socket, ReceivingWebSocket) else None

    @property
    def is_encrypted(self) -> bool:
        """Whether the call is encrypted end to end."""
        return end_to_end.is_ready(self.voice.receiving)

    def open(
        self, client: discord.Client, channel: discord.abc.Connectable
    ) -> ReceivingVoiceClient:
        """Make the voice client; discord.py then has it connect."""
        assert client.user is not None
        self._own_id = client.user.id
        self._voice = ReceivingVoiceClient(client, channel, self, self._options)
        self._unsealer = Unsealer(
            self._voice.receiving,
            self._own_id,
            self._taker.counts,
            self._deafness,
            lambda: self.end(WentDeaf()),
        )
        return self._voice

    def end(self, ending: Ending) -> None:
        """Have it end, unless it has already; whoever waits for `ended_with` closes it."""
        if not self.ended_with.done():
            logger.info("a voice connection has ended: %s", ending)
            self.ended_with.set_result(ending)

    async def close(self) -> None:
        """Leave the channel, and hold nothing any more; harmless if it is closed."""
        if self._voice is None:
            return
        await self._voice.receiving.abandon()
        try:
            await self._voice.disconnect(force=True)
        except (TimeoutError, OSError, aiohttp.ClientError, discord.DiscordException) as error:
            logger.info("a voice connection did not close in good order: %r", error)

    def beat(self, *, has_people: bool) -> None:
        """Send a sign of life, and see whether there is one of the other side.

        Args:
            has_people: Whether somebody is in the channel.
        """
        self.voice.receiving.keep_alive()
        self._unanswered += 1
        if self._was_answered and self._unanswered > self._options.unanswered_keepalives:
            self.end(WentDeaf())
        is_keyless = self.voice.receiving.dave_protocol_version != 0 and not self.is_encrypted
        self._keyless_beats = self._keyless_beats + 1 if is_keyless and has_people else 0
        keyless_seconds = self._keyless_beats * self._options.keepalive_seconds
        is_long = keyless_seconds > self._options.keyless_seconds
        if is_long and self._deafness.may_say(self._loop.time()):
            self.end(WentDeaf())

    async def tell_speaking(self, *, is_speaking: bool) -> None:
        """Let it be seen whether the bot speaks."""
        try:
            await self.voice.tell_speaking(is_speaking=is_speaking)
        except (OSError, aiohttp.ClientError, discord.DiscordException) as error:
            logger.info("it could not be told that the bot speaks: %r", error)

    def datagram(self, data: bytes) -> None:
        """Hand over what somebody said; see `Ears`."""
        assert self._unsealer is not None
        try:
            packet = self._unsealer.heard(data, self._loop.time())
            if packet is not None:
                self._taker.take(packet)
        except Exception:
            self._taker.counts["failed"] += 1
            # Once: fifty may come each second.
            if not self._has_failed:
                logger.exception("a voice packet could not be handled")
            self._has_failed = True

    def echo(self) -> None:
        """Know that packets can come in; see `Ears`."""
        self._was_answered = True
        self._unanswered = 0

    async def message(self, websocket: DiscordVoiceWebSocket, message: dict[str, Any]) -> None:
        """Learn whose streams are whose; see `Ears`."""
        del websocket
        assert self._unsealer is not None
        data = message.get("d")
        match message["op"], data:
            case _Socket.SESSION_DESCRIPTION, _:
                self._unsealer.begin_anew()
                self._deafness.begin_anew()
                self.sessions += 1
                self._taker.session_began()
            case _Socket.SPEAKING, {"user_id": person_id, "ssrc": ssrc}:
                for packet in self._unsealer.learn(int(ssrc), int(person_id)):
                    self._taker.take(packet)
            case _Socket.CLIENT_DISCONNECT, {"user_id": person_id}:
                self._unsealer.forget(int(person_id))
            case (
                (_Socket.DAVE_PREPARE_EPOCH | _Socket.DAVE_PREPARE_TRANSITION),
                {"protocol_version": version},
            ) if version and self.voice.receiving.dave_session is None:
                # discord.py does not take part in what begins only now.
                self.end(Broke())
            case _:
                pass

    def odd_message(self) -> None:
        """Count it; see `Ears`."""
        self._taker.counts["odd messages"] += 1

    def ended(self, code: int | None) -> None:
        """Know that it is over; see `Ears`."""
        self.end(Broke(code))
