"""Reads what people wrote while the bot could not hear them."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

import discord

from bot.access import Person, Place
from bot.conversation.incoming import IncomingMessage
from bot.conversation.marks import QUEUED
from bot.discord_io.carrying import carried
from bot.discord_io.translation import incoming_message, is_written, person_of, place_of
from bot.messenger import MessageRef, MessengerError

logger = logging.getLogger(__name__)

_Readable = discord.abc.GuildChannel | discord.Thread

_MOST_MESSAGES = 100
_GUILD_SECONDS = 10.0


class DiscordHistory:
    """Implements `bot.conversation.history.History`; outlives the clients that it uses."""

    def __init__(self) -> None:
        self._client: discord.Client | None = None

    def use(self, client: discord.Client) -> None:
        """Read by `client` from now on; it is logged in."""
        self._client = client

    def pause(self) -> None:
        """Read nothing until there is a client again."""
        self._client = None

    async def channels_since(self, message_id: int) -> list[Place]:
        """Return where something may have been written; see `History.channels_since`."""
        client, bot_id = self._connected()
        await _all_told(client)
        found = [
            (newest, channel)
            for guild in client.guilds
            for channel in _readable(guild, bot_id)
            if (newest := _newest_in(channel)) > message_id
        ]
        found.sort(key=lambda each: each[0], reverse=True)
        return [place_of(channel, channel.id, channel.guild.id) for _, channel in found]

    async def since(
        self,
        channel_id: int,
        message_id: int,
        *,
        is_wanted: Callable[[IncomingMessage], bool] = lambda _: True,
    ) -> list[IncomingMessage]:
        """Return what was written after that message; see `History.since`."""
        client, bot_id = self._connected()
        channel = await carried(lambda: _channel(client, channel_id))
        if not isinstance(channel, discord.abc.Messageable):
            return []
        found = await carried(lambda: _written(channel, message_id))
        unanswered = [(m, incoming_message(m, bot_id)) for m in _unanswered(found[::-1], bot_id)]
        people = _People()
        return [
            await people.with_roles(message, incoming)
            for message, incoming in unanswered
            if is_wanted(incoming)
        ]

    async def message(self, ref: MessageRef) -> IncomingMessage | None:
        """Return a message as it reads now; see `History.message`."""
        client, bot_id = self._connected()
        channel = await carried(lambda: _channel(client, ref.channel_id))
        if not isinstance(channel, discord.abc.Messageable):
            return None
        found = await carried(lambda: _message(channel, ref.message_id))
        if found is None:
            return None
        return await _People().with_roles(found, incoming_message(found, bot_id))

    def _connected(self) -> tuple[discord.Client, int]:
        client = self._client
        if client is None or client.user is None:
            raise MessengerError("there is no connection to it")
        return client, client.user.id


async def _channel(client: discord.Client, channel_id: int) -> object:
    """Return a channel of a guild whose roles are known, or of direct messages."""
    known = client.get_channel(channel_id)
    channel = known or await client.fetch_channel(channel_id)
    guild = getattr(channel, "guild", None)
    if isinstance(guild, discord.Guild) and guild.unavailable:
        # Discord tells of each guild only after it has told that the bot is connected.
        async with asyncio.timeout(_GUILD_SECONDS):
            await client.wait_for("guild_available", check=lambda other: other.id == guild.id)
    return client.get_channel(channel_id) or channel


async def _all_told(client: discord.Client) -> None:
    """Wait until Discord has told of every guild, but for those that are away for longer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_GUILD_SECONDS):
            while any(guild.unavailable for guild in client.guilds):
                await client.wait_for("guild_available")
    for guild in client.guilds:
        if guild.unavailable:
            logger.warning("guild %d is away: what was missed there is not looked for", guild.id)


def _readable(guild: discord.Guild, bot_id: int) -> Iterator[_Readable]:
    """Yield the channels and active threads whose messages the bot may read."""
    bot = guild.get_member(bot_id)
    for channel in (*guild.channels, *guild.threads):
        # Of a thread without its channel nobody knows who may read it.
        if bot is None or (isinstance(channel, discord.Thread) and channel.parent is None):
            continue
        may = channel.permissions_for(bot)
        if may.view_channel and may.read_message_history:
            yield channel


def _newest_in(channel: _Readable) -> int:
    """Return the id of the newest message there; 0 if there is none, or there cannot be any."""
    if not isinstance(channel, discord.abc.Messageable):  # a forum, say
        return 0
    return getattr(channel, "last_message_id", None) or 0


async def _message(channel: discord.abc.Messageable, message_id: int) -> discord.Message | None:
    try:
        return await channel.fetch_message(message_id)
    except discord.NotFound:
        return None


async def _written(channel: discord.abc.Messageable, message_id: int) -> list[discord.Message]:
    """Return what stands there, newest first."""
    after = discord.Object(message_id)
    messages = channel.history(limit=_MOST_MESSAGES, after=after, oldest_first=False)
    return [message async for message in messages]


def _unanswered(messages: Iterable[discord.Message], bot_id: int) -> list[discord.Message]:
    """Return what others wrote, and the bot neither replied to nor marked."""
    every = list(messages)
    own = [message for message in every if message.author.id == bot_id]
    replied_to = {message.reference.message_id for message in own if message.reference}
    return [
        message
        for message in every
        if message.author.id != bot_id
        and message.id not in replied_to
        # What waited may have been forgotten since; every other mark says that it was answered.
        and not any(r.me and str(r.emoji) != QUEUED for r in message.reactions)
        and is_written(message)
    ]


class _People:
    """Knows the roles of who wrote; a message that is read later does not tell them."""

    def __init__(self) -> None:
        self._known: dict[int, Person] = {}

    async def with_roles(
        self, message: discord.Message, incoming: IncomingMessage
    ) -> IncomingMessage:
        if message.guild is None or incoming.author.is_automatic:
            return incoming
        if incoming.author.id not in self._known:
            self._known[incoming.author.id] = await _member(message.guild, incoming.author)
        return replace(incoming, author=self._known[incoming.author.id])


async def _member(guild: discord.Guild, author: Person) -> Person:
    try:
        member = await carried(lambda: guild.fetch_member(author.id))
    except MessengerError as error:
        if error.is_final:  # who has left has no roles
            return author
        raise
    return person_of(member)
