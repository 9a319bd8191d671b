"""The bot in voice channels of a simulated Discord: what it hears, and what it is told."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeVar

from bot.access import Place
from bot.discord_io.link import DiscordLink
from bot.discord_io.voice.deafness import DeafnessOptions
from bot.discord_io.voice.discord_link import DiscordVoiceLink
from bot.discord_io.voice.door import DiscordVoiceDoor
from bot.discord_io.voice.options import VoiceOptions
from bot.voice_door import VoiceEvent
from simulator.discord import DiscordSimulator
from simulator.discord.voice.channel import VoiceChannel
from simulator.discord.voice.talker import Talker
from tests.fakes.discord_bot import bot_on, options_for
from tests.fakes.listener import FakeListener
from tests.fakes.waiting import until
from voice.events import SILENCE, HeardPacket

Event = TypeVar("Event", bound=VoiceEvent)

HASTY = VoiceOptions(
    dial_seconds=2.0,
    discovery_seconds=0.05,
    word_seconds=0.1,
    departure_seconds=0.05,
    keepalive_seconds=0.05,
    keyless_seconds=0.5,
    rate_limited_seconds=0.1,
    first_pause_seconds=0.05,
    longest_pause_seconds=0.2,
    give_up_seconds=10.0,
    deafness=DeafnessOptions(packets=5, seconds=0.0),
)
SPOKEN = tuple(bytes([0x78, *[number] * 40]) for number in range(1, 6))
"""Packets as those of a person; what is in them matters to nobody here."""


class VoiceVisit:
    """One bot that joins voice channels, and remembers all that comes of it."""

    def __init__(self, discord: DiscordSimulator, link: DiscordLink) -> None:
        self.discord = discord
        self.link = link
        self.told: list[VoiceEvent] = []
        self.heard: list[HeardPacket] = []

    @property
    def door(self) -> DiscordVoiceDoor:
        return self.link.voice_door

    async def join(self, channel: VoiceChannel) -> DiscordVoiceLink:
        """Join, and return when all in the channel can hear each other."""
        line = await self.door.join(self.place(channel), self.told.append)
        line.listen(self.heard.append)
        await channel.connected()
        return line

    def place(self, channel: VoiceChannel) -> Place:
        return Place(guild_id=self.discord.guild.id, channel_id=channel.id)

    async def is_told(self, kind: type[Event]) -> Event:
        """Wait for a word of that kind, and return it."""
        await until(lambda: any(isinstance(event, kind) for event in self.told))
        return next(event for event in self.told if isinstance(event, kind))

    async def hears(self, talker: Talker, packets: Sequence[bytes] = SPOKEN) -> bool:
        """Say whether the bot hears all that somebody says, and nothing else of them."""
        del self.heard[:]
        await talker.speak(packets, speed=20)
        said = [packet.opus for packet in self.of(talker)]
        for _ in range(20):
            if len(said) >= len(packets):
                break
            await asyncio.sleep(0.01)
            said = [packet.opus for packet in self.of(talker)]
        return said == list(packets)

    async def hears_all(self, talkers: Sequence[Talker]) -> bool:
        """Say whether the bot hears all of two packets of each of them, at once."""
        del self.heard[:]
        said = sorted((talker.id, opus) for talker in talkers for opus in SPOKEN[:2])
        for opus in SPOKEN[:2]:
            for talker in talkers:
                talker.send_packet(opus)
        for _ in range(200):
            if len(self.heard) >= len(said):
                break
            await asyncio.sleep(0.002)
        return sorted((packet.person_id, packet.opus) for packet in self.heard) == said

    def of(self, talker: Talker) -> list[HeardPacket]:
        mine = [packet for packet in self.heard if packet.person_id == talker.id]
        return [packet for packet in mine if packet.opus != SILENCE]


@asynccontextmanager
async def running_voice_visit(
    discord: DiscordSimulator, options: VoiceOptions = HASTY
) -> AsyncIterator[VoiceVisit]:
    """Run the bot while the block lasts."""
    link = DiscordLink(voice=options)
    hasty = replace(options_for(discord), session_pause_seconds=0.01)
    async with bot_on(discord, FakeListener(), hasty, link=link):
        yield VoiceVisit(discord, link)
