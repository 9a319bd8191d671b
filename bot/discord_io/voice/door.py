"""Leads into Discord's voice channels, whichever client is logged in."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NoReturn

import discord

from bot.access import Person, Place
from bot.discord_io.voice.discord_link import DiscordVoiceLink
from bot.discord_io.voice.endings import ChannelDeleted, SessionLost
from bot.discord_io.voice.options import VoiceOptions
from bot.discord_io.voice.reach import Reach
from bot.discord_io.voice.roster import Roster
from bot.discord_io.voice.supervisor import Supervisor
from bot.voice_door import JoinTrouble, VoiceEvent, VoiceJoinError

_LEAVE_SECONDS = 4.0


class DiscordVoiceDoor:
    """Implements `VoiceDoor`; outlives the clients, and so do its lines."""

    def __init__(self, options: VoiceOptions | None = None) -> None:
        self.options = options or VoiceOptions()
        self._reach = Reach()
        self._roster = Roster()
        self._lines: dict[int, Supervisor] = {}
        """By the server."""
        self._running: dict[int, asyncio.Task[None]] = {}
        self._tasks: asyncio.TaskGroup | None = None

    async def run(self) -> NoReturn:
        """Look after the lines until cancelled, and then leave all channels."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            try:
                while True:
                    await asyncio.Event().wait()
            finally:
                self._tasks = None

    async def join(self, place: Place, tell: Callable[[VoiceEvent], None]) -> DiscordVoiceLink:
        """Enter a voice channel; see `VoiceDoor`."""
        guild_id = place.guild_id
        if guild_id is None:
            raise VoiceJoinError(JoinTrouble.GONE)
        if self._tasks is None or not self._reach.is_online:
            raise VoiceJoinError(JoinTrouble.OFFLINE)
        await self.leave(guild_id)
        line = Supervisor(place, self._reach, self._roster, tell, self.options)
        self._lines[guild_id] = line
        try:
            connection = await line.join()
        except BaseException:
            del self._lines[guild_id]
            raise
        task = self._tasks.create_task(line.run(connection))
        self._running[guild_id] = task
        task.add_done_callback(lambda _: self._forget(guild_id, line))
        # A task that is cancelled before it has begun would never hang up.
        await asyncio.sleep(0)
        return line.link

    async def leave(self, guild_id: int) -> None:
        """Leave the voice channel of a server; see `VoiceDoor`."""
        task = self._running.get(guild_id)
        if task is not None:
            task.cancel()
            await asyncio.wait([task], timeout=_LEAVE_SECONDS)

    async def leave_all(self) -> None:
        """Leave all voice channels, and wait for no word of it: the bot stops. Never raises."""
        self._reach.pause()
        tasks = set(self._running.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_LEAVE_SECONDS)

    def where_is(self, person_id: int, guild_id: int) -> Place | None:
        """Return the voice channel that somebody is in; see `VoiceDoor`."""
        channel = self._reach.channel_of(person_id, guild_id)
        return None if channel is None else Place(guild_id=guild_id, channel_id=channel.id)

    async def people_in(self, place: Place) -> Sequence[Person]:
        """Return who is in a voice channel; see `VoiceDoor`."""
        await self._reach.until_told_of(place)
        channel = self._reach.channel(place)
        if channel is None:
            return []
        own_id = self._reach.own_id
        people = [person_id for person_id in channel.voice_states if person_id != own_id]
        await self._roster.learn(channel.guild, people, is_fresh=True)
        # Asked for again: meanwhile, somebody may have come or gone.
        states = self._reach.states(place)
        known = self._roster.known(channel.guild.id, [key for key in states if key != own_id])
        return [person for person in known if not person.is_automatic]

    def is_stage(self, place: Place) -> bool:
        """Say whether a voice channel is a stage; see `VoiceDoor`."""
        return isinstance(self._reach.channel(place), discord.StageChannel)

    def client_connected(self, client: discord.Client, *, is_new_session: bool) -> None:
        """Go on with a client.

        Args:
            client: Which can be asked again.
            is_new_session: Whether Discord holds it for a new one: it is in no channel any more.
        """
        if is_new_session:
            self._roster.forget_all()
            self._end_all()
        self._reach.use(client)

    def client_away(self) -> None:
        """Know that the client is without a connection. The lines have their own."""
        self._reach.pause()

    def client_gone(self) -> None:
        """Know that the client is not used any more; its connections are closed with it."""
        self._reach.lose()
        self._end_all()

    def voice_changed(self, member: discord.Member, after: discord.VoiceState) -> None:
        """Know that somebody has come, gone, or is there in another way."""
        guild_id, channel = member.guild.id, after.channel
        line = self._lines.get(guild_id)
        if member.id == self._reach.own_id:
            at = None if channel is None else Place(guild_id=guild_id, channel_id=channel.id)
            if line is not None:
                line.bot_is_in(at)
        else:
            self._roster.saw(member, is_there=channel is not None)
        if line is not None:
            line.attendance.changed()

    def channel_deleted(self, guild_id: int, channel_id: int) -> None:
        """Know that a channel is not there any more."""
        line = self._lines.get(guild_id)
        if line is not None and line.place.channel_id == channel_id:
            line.end(ChannelDeleted())

    def guild_left(self, guild_id: int) -> None:
        """Know that the bot is in a server no more."""
        line = self._lines.get(guild_id)
        if line is not None:
            line.end(ChannelDeleted())

    def _end_all(self) -> None:
        for line in self._lines.values():
            line.end(SessionLost())

    def _forget(self, guild_id: int, line: Supervisor) -> None:
        if self._lines.get(guild_id) is line:
            del self._lines[guild_id]
            self._running.pop(guild_id, None)
