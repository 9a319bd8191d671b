"""Tells the bot of what happens in a channel, if it may see it."""

from dataclasses import dataclass

from simulator.discord.gateway import Gateway
from simulator.discord.gateway_session import Intent
from simulator.discord.model import Channel, Json
from simulator.discord.permissions import Permission
from simulator.discord.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A kind of news, and what a client must have asked for to get it."""

    in_guild: Intent
    direct: Intent


MESSAGES = Topic(in_guild=Intent.GUILD_MESSAGES, direct=Intent.DIRECT_MESSAGES)
REACTIONS = Topic(in_guild=Intent.GUILD_MESSAGE_REACTIONS, direct=Intent.DIRECT_MESSAGE_REACTIONS)
TYPING = Topic(in_guild=Intent.GUILD_MESSAGE_TYPING, direct=Intent.DIRECT_MESSAGE_TYPING)
CHANNELS = Topic(in_guild=Intent.GUILDS, direct=Intent.DIRECT_MESSAGES)


class Herald:
    """Brings news of channels."""

    def __init__(self, world: World, gateway: Gateway) -> None:
        self._world = world
        self._gateway = gateway

    def tell(
        self,
        name: str,
        data: Json,
        *,
        channel: Channel,
        topic: Topic,
        without_content: Json | None = None,
    ) -> None:
        """Tell of something in a channel.

        Args:
            name: The event, such as `MESSAGE_CREATE`.
            data: Its payload; the guild's id is added.
            channel: Where it is; of what the bot cannot see it hears nothing.
            topic: What kind of news it is.
            without_content: The payload for clients that may not read messages.
        """
        if not self._world.may(self._world.bot, Permission.VIEW_CHANNEL, channel):
            return
        added: Json = {}
        if channel.guild_id is not None:
            added = {"guild_id": str(channel.guild_id)}
        self._gateway.dispatch(
            name,
            data | added,
            intent=topic.direct if channel.guild_id is None else topic.in_guild,
            without_content=None if without_content is None else without_content | added,
        )
