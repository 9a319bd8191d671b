"""Whether all is decrypted while people come and go, and nobody is told whose packets are whose."""

import asyncio
import random
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from benchmarks.rows import Row, Target
from bot.access import Place
from bot.conversation.incoming import (
    ButtonPress,
    CommandCall,
    Completion,
    IncomingMessage,
    Suggestion,
)
from bot.discord_io.client import run_discord
from bot.discord_io.link import DiscordLink
from bot.discord_io.options import DiscordOptions, Endpoint
from bot.discord_io.voice.discord_link import DiscordVoiceLink
from bot.messenger import Form, MessageContent, MessageRef
from simulator.discord import DiscordSimulator, running_discord
from simulator.discord.voice.channel import VoiceChannel
from simulator.discord.voice.opus import PACKET_SECONDS
from simulator.discord.voice.talker import Talker
from voice.events import SILENCE, HeardPacket

_CHANGES = 60
_MOST_GUESTS = 7
_LEAVES_SHARE = 0.45
_PACKETS_EACH = 3
_SEED = 6
_READY_SECONDS = 30.0
_LAST_SECONDS = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Decryption:
    """What was measured."""

    sent: int
    heard: int
    """Of these, as what they were, and of whom they were."""
    joins: int
    counts: dict[str, int]
    """What the link says became of packets."""

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        by_trial = self.counts.get("speaker found by trial", 0)
        return [
            Row(
                name=f"received packets decrypted over {_CHANGES} joins and leaves without op 5",
                value=100.0 * self.heard / max(self.sent, 1),
                unit="%",
                target=Target("≥", 100.0),
                against=f"{self.heard} of {self.sent} packets, as those of who sent them;"
                f" {self.joins} joins, {_CHANGES - self.joins} leaves, {by_trial} speakers found"
                " by trial; one person talks all the time; simulated Discord, real discord.py",
            )
        ]


async def measure() -> Decryption:
    """Measure it."""
    with tempfile.TemporaryDirectory(prefix="papercup-benchmark-") as folder:
        async with running_discord(Path(folder)) as discord, _running_bot(discord) as bot:
            return await _coming_and_going(discord, bot)


async def _coming_and_going(discord: DiscordSimulator, bot: DiscordLink) -> Decryption:
    discord.voice.is_speaking_told = False
    lounge = discord.voice_channel("Lounge")
    first = discord.person("first").join_voice(lounge)
    line = await _joined(discord, bot, lounge)
    talk = _Talk()
    line.listen(talk.hear)
    async with asyncio.TaskGroup() as tasks:
        going_on = tasks.create_task(talk.go_on(first))
        joins = await _change(discord, lounge, talk)
        going_on.cancel()
    with suppress(TimeoutError):
        async with asyncio.timeout(_LAST_SECONDS):
            await talk.all_heard()
    return Decryption(
        sent=len(talk.sent), heard=talk.heard_count, joins=joins, counts=dict(line.report().counts)
    )


async def _joined(
    discord: DiscordSimulator, bot: DiscordLink, lounge: VoiceChannel
) -> DiscordVoiceLink:
    place = Place(guild_id=discord.guild.id, channel_id=lounge.id)
    line = await bot.voice_door.join(place, lambda _: None)
    await lounge.connected()
    return line


async def _change(discord: DiscordSimulator, lounge: VoiceChannel, talk: "_Talk") -> int:
    """Have guests come and go, and talk meanwhile; return how many came."""
    chance = random.Random(_SEED)  # noqa: S311 - no secret
    guests: list[Talker] = []
    joins = 0
    for number in range(_CHANGES):
        if guests and (len(guests) >= _MOST_GUESTS or chance.random() < _LEAVES_SHARE):
            guests.pop(chance.randrange(len(guests))).leave()
        else:
            person, joins = discord.person(f"guest {number}"), joins + 1
            guests.append(person.join_voice(lounge, is_deafened=True))
        await lounge.settled()
        for _ in range(_PACKETS_EACH):
            for guest in guests:
                talk.send(guest)
            await asyncio.sleep(PACKET_SECONDS)
    return joins


class _Talk:
    """What was said, and what was heard of it; no two packets are the same."""

    def __init__(self) -> None:
        self.sent: dict[bytes, int] = {}
        """Who sent each."""
        self.heard_count = 0
        self._numbers = count()
        self._changed = asyncio.Event()

    def send(self, talker: Talker) -> None:
        """Have somebody send a packet, if they are let."""
        packet = bytes([0x78, *next(self._numbers).to_bytes(8), *range(60)])
        if talker.send_packet(packet):
            self.sent[packet] = talker.id

    async def go_on(self, talker: Talker) -> None:
        """Have somebody talk without a pause, until cancelled."""
        while True:
            self.send(talker)
            await asyncio.sleep(PACKET_SECONDS)

    def hear(self, packet: HeardPacket) -> None:
        """Take what the bot has heard."""
        if packet.opus != SILENCE and self.sent.get(packet.opus) == packet.person_id:
            self.heard_count += 1
            self._changed.set()

    async def all_heard(self) -> None:
        """Return once all that was sent was heard."""
        while self.heard_count < len(self.sent):
            self._changed.clear()
            await self._changed.wait()


class _Nobody:
    """Implements `Listener`: nothing is written here."""

    async def message_arrived(self, message: IncomingMessage) -> None:
        """See `Listener`."""

    async def message_edited(self, message: IncomingMessage) -> None:
        """See `Listener`."""

    async def message_deleted(self, ref: MessageRef) -> None:
        """See `Listener`."""

    async def channel_deleted(self, channel_id: int) -> None:
        """See `Listener`."""

    async def catch_up(self) -> None:
        """See `Listener`."""

    async def heard_until(self, at: float) -> None:
        """See `Listener`."""

    def is_for_all(self, call: CommandCall) -> bool:
        """See `Listener`."""
        del call
        return False

    async def command_called(self, call: CommandCall) -> MessageContent:
        """See `Listener`."""
        return MessageContent(text=f"There is no /{call.name} here.")

    async def completed(self, completion: Completion) -> Sequence[Suggestion]:
        """See `Listener`."""
        del completion
        return ()

    def form_for(self, press: ButtonPress) -> Form | None:
        """See `Listener`."""
        del press
        return None

    async def button_pressed(self, press: ButtonPress) -> MessageContent | None:
        """See `Listener`."""
        del press
        return None


@asynccontextmanager
async def _running_bot(discord: DiscordSimulator) -> AsyncGenerator[DiscordLink, None]:
    options = DiscordOptions(
        token=discord.token,
        endpoint=Endpoint(host=discord.host, port=discord.tls_port, ca_path=discord.ca_path),
    )
    link = DiscordLink()
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(run_discord(link, _Nobody(), options))
        async with asyncio.timeout(_READY_SECONDS):
            await link.ready.wait()
        yield link
        running.cancel()
