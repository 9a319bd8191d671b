"""Reads what people wrote while the bot could not hear them."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace

import discord

from bot.access import Person
from bot.conversation.incoming import IncomingMessage
from bot.discord_io.messenger import carried
from bot.discord_io.translation import incoming_message, person_of
from bot.messenger import MessengerError

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

    async def since(self, channel_id: int, message_id: int) -> list[IncomingMessage]:
        """Return what was written after that message; see `History.since`."""
        client = self._client
        if client is None or client.user is None:
            raise MessengerError("there is no connection to it")
        channel = await carried(lambda: _channel(client, channel_id))
        if not isinstance(channel, discord.abc.Messageable):
            return []
        found = await carried(lambda: _written(channel, message_id))
        bot_id = client.user.id
        people, unanswered = _People(), _unanswered(reversed(found), bot_id)
        return [
            await people.with_roles(message, incoming_message(message, bot_id))
            for message in unanswered
        ]


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
        and not any(reaction.me for reaction in message.reactions)
        and not message.is_system()
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
