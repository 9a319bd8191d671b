"""Which Discord client there is at the moment, and what it knows of voice channels."""

import asyncio
from collections.abc import Mapping

import discord

from bot.access import Place

_LOOKS = 50
_LOOK_SECONDS = 0.1

VoiceChannel = discord.VoiceChannel | discord.StageChannel


class Reach:
    """Outlives the clients."""

    def __init__(self) -> None:
        self.client: discord.Client | None = None
        """Who is logged in; kept while it is without a connection."""
        self._online = asyncio.Event()

    @property
    def is_online(self) -> bool:
        """Whether Discord can be asked for something."""
        return self._online.is_set()

    @property
    def is_told(self) -> bool:
        """Whether Discord has told of all its servers and channels."""
        return self.client is not None and self.client.is_ready()

    @property
    def own_id(self) -> int:
        """The bot's; 0 while nobody is logged in."""
        user = None if self.client is None else self.client.user
        return 0 if user is None else user.id

    def use(self, client: discord.Client) -> None:
        """Go on with a client that is connected."""
        self.client = client
        self._online.set()

    def pause(self) -> None:
        """Know that it is without a connection for now."""
        self._online.clear()

    def lose(self) -> None:
        """Know that it will not be used any more."""
        self.pause()
        self.client = None

    async def online(self) -> discord.Client:
        """Wait until there is a client that is connected, and return it."""
        while self.client is None or not self._online.is_set():
            await self._online.wait()
        return self.client

    def channel(self, place: Place) -> VoiceChannel | None:
        """Return the voice channel; `None` if there is none there, or it is not known."""
        found = None if self.client is None else self.client.get_channel(place.channel_id)
        return found if isinstance(found, discord.VoiceChannel | discord.StageChannel) else None

    def has_told_of(self, place: Place) -> bool:
        """Say whether it is known what is there, if anything is."""
        is_known = self.client is not None and self.client.get_channel(place.channel_id) is not None
        return is_known or self.is_told

    async def until_told_of(self, place: Place) -> None:
        """Wait a while, if need be: after a login, Discord is still telling of its servers."""
        for _ in range(_LOOKS):
            if not self.is_online or self.has_told_of(place):
                return
            await asyncio.sleep(_LOOK_SECONDS)

    def states(self, place: Place) -> Mapping[int, discord.VoiceState]:
        """Return who is in a voice channel, the bot included, and how."""
        channel = self.channel(place)
        return {} if channel is None else channel.voice_states

    def channel_of(self, person_id: int, guild_id: int) -> VoiceChannel | None:
        """Return the voice channel that somebody is in."""
        guild = None if self.client is None else self.client.get_guild(guild_id)
        if guild is None:
            return None
        channels: list[VoiceChannel] = [*guild.voice_channels, *guild.stage_channels]
        return next((each for each in channels if person_id in each.voice_states), None)
