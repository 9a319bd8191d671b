"""One login to Discord by discord.py: it is thrown away at the first fault."""

from typing import Protocol

import aiohttp
import discord

from bot.discord_io.presses import Interaction
from bot.messenger import MessageRef


class ClientEvents(Protocol):
    """Whoever a client tells what happens to it."""

    async def logged_in(self, client: discord.Client) -> None:
        """The token was accepted: messages can be sent. What it raises ends the client."""
        ...

    async def session_starts(self, *, is_first: bool) -> None:
        """A session is about to be started, not resumed. What it raises ends the client."""
        ...

    def connected(self, client: discord.Client, *, has_gap: bool) -> None:
        """What people do is being told, from now on or again.

        Args:
            client: By which.
            has_gap: Whether what they did meanwhile is not told.
        """
        ...

    def disconnected(self) -> None:
        """It is not told any more; the client tries to go on by itself."""
        ...

    def message_seen(self, client: discord.Client, message: discord.Message) -> None:
        """A message stands in some channel, one of the bot's own perhaps."""
        ...

    def message_changed(self, client: discord.Client, message: discord.Message) -> None:
        """A message looks another way than before, whoever or whatever changed it."""
        ...

    def message_gone(self, ref: MessageRef) -> None:
        """A message was taken away, one of the bot's own perhaps."""
        ...

    def guild_joined(self, client: discord.Client, guild_id: int) -> None:
        """The bot has come to another guild."""
        ...

    def guild_left(self, guild_id: int) -> None:
        """The bot is in a guild no more."""
        ...

    def channel_deleted(self, guild_id: int, channel_id: int) -> None:
        """A channel of a guild, or a thread, was deleted."""
        ...

    def voice_changed(self, member: discord.Member, after: discord.VoiceState) -> None:
        """Somebody came into a voice channel, left it, or is there in another way."""
        ...

    def interaction_begun(self, interaction: Interaction) -> None:
        """Somebody called a command, pressed a button, or did something else of that kind."""
        ...


def _intents() -> discord.Intents:
    """Ask for no more than is used: an event that is never sent cannot be an odd one."""
    return discord.Intents(
        guilds=True,
        guild_messages=True,
        dm_messages=True,
        message_content=True,
        voice_states=True,
    )


class SessionClient(discord.Client):
    """A discord.py client that passes on what happens, and keeps nothing.

    Args:
        events: Is told.
        connector: How Discord is reached; `None` for the usual way.
    """

    def __init__(self, events: ClientEvents, connector: aiohttp.BaseConnector | None) -> None:
        super().__init__(
            intents=_intents(),
            connector=connector,
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            max_ratelimit_timeout=60.0,
        )
        self._events = events

    async def setup_hook(self) -> None:
        """Called by discord.py after the login, and before the connection."""
        await self._events.logged_in(self)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Called by discord.py right before it starts a session."""
        del shard_id
        await self._events.session_starts(is_first=initial)

    async def on_connect(self) -> None:
        """Called by discord.py for a new session."""
        self._events.connected(self, has_gap=True)

    async def on_resumed(self) -> None:
        """Called by discord.py when a session goes on after a break."""
        self._events.connected(self, has_gap=False)

    async def on_disconnect(self) -> None:
        """Called by discord.py, also for each vain try to connect again."""
        self._events.disconnected()

    async def on_message(self, message: discord.Message) -> None:
        """Called by discord.py for each new message."""
        self._events.message_seen(self, message)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """Called by discord.py for each message that is told of anew."""
        self._events.message_changed(self, event.message)

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        """Called by discord.py for each message that is taken away."""
        self._events.message_gone(
            MessageRef(channel_id=event.channel_id, message_id=event.message_id)
        )

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        """Called by discord.py for messages that are taken away together."""
        for message_id in sorted(event.message_ids):
            self._events.message_gone(
                MessageRef(channel_id=event.channel_id, message_id=message_id)
            )

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Called by discord.py when the bot has been let into a guild."""
        self._events.guild_joined(self, guild.id)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Called by discord.py when the bot is not in a guild any more, or the guild is gone."""
        self._events.guild_left(guild.id)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Called by discord.py for each channel that is deleted."""
        self._events.channel_deleted(channel.guild.id, channel.id)

    async def on_raw_thread_delete(self, event: discord.RawThreadDeleteEvent) -> None:
        """Called by discord.py for each thread that is deleted, also with its channel."""
        self._events.channel_deleted(event.guild_id, event.thread_id)

    async def on_voice_state_update(
        self, member: discord.Member, before: discord.VoiceState, after: discord.VoiceState
    ) -> None:
        """Called by discord.py for whatever somebody does in, or to, a voice channel."""
        del before
        self._events.voice_changed(member, after)

    async def on_interaction(self, interaction: Interaction) -> None:
        """Called by discord.py for whatever people do with commands, buttons and forms."""
        self._events.interaction_begun(interaction)
