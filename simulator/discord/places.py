"""Channels of the guild: who may see them, what they are called, and that the bot hears of it."""

from collections.abc import Iterable
from dataclasses import replace

from simulator.discord.channel_wire import channel_json, gone_thread_json
from simulator.discord.gateway import Gateway
from simulator.discord.gateway_session import Intent
from simulator.discord.model import Account, Channel, ChannelKind, Json, Role
from simulator.discord.permissions import Permission
from simulator.discord.threads import Threads, check_name
from simulator.discord.voice.calls import Calls
from simulator.discord.world import World

_WRITE = Permission.SEND_MESSAGES | Permission.SEND_MESSAGES_IN_THREADS


class Places:
    """What becomes of channels; a client hears of those that it may not see, too."""

    def __init__(self, world: World, gateway: Gateway, threads: Threads, calls: Calls) -> None:
        self._world = world
        self._gateway = gateway
        self._threads = threads
        self._calls = calls

    def add(
        self, name: str, kind: ChannelKind = ChannelKind.TEXT, *, user_limit: int = 0
    ) -> Channel:
        """Make a channel in which one can write, and talk if it is of such a kind."""
        channel = self._world.add_channel(name, kind, user_limit=user_limit)
        self._tell("CHANNEL_CREATE", channel)
        return channel

    def rename(self, channel: Channel, name: str) -> Channel:
        """Give a channel or a thread another name.

        Raises:
            ApiError: If the name is too long or empty.
        """
        if channel.thread is not None:
            return self._threads.rename(channel, name)
        check_name(name)
        return self._changed(replace(channel, name=name))

    def set_topic(self, channel: Channel, topic: str | None) -> Channel:
        """Let a channel have another topic."""
        return self._changed(replace(channel, topic=topic))

    def delete(self, channel: Channel) -> None:
        """Take a channel away, with its threads; who is in it is put out."""
        self._calls.end(channel)
        for gone in self._world.forget_channel(channel):
            if gone.thread is None:
                self._tell("CHANNEL_DELETE", gone)
            else:
                told = gone_thread_json(gone)
                self._gateway.dispatch("THREAD_DELETE", told, intent=Intent.GUILDS)

    def restrict(
        self,
        channel: Channel,
        *,
        seen_by: Iterable[Role | Account] | None,
        written_by: Iterable[Role | Account] | None,
    ) -> None:
        """Let a channel be for some alone.

        Args:
            channel: Which.
            seen_by: Who sees it; `None`: everybody.
            written_by: Who may write in it; `None`: who sees it.
        """
        everyone = self._world.guild.id
        for permission, chosen in ((Permission.VIEW_CHANNEL, seen_by), (_WRITE, written_by)):
            if chosen is not None:
                self._world.overwrite(channel, everyone, deny=permission)
                for one in chosen:
                    self._world.overwrite(channel, one.id, allow=permission)
        self._tell("CHANNEL_UPDATE", channel)

    def set_for(self, channel: Channel, account: Account, *, allow: int = 0, deny: int = 0) -> None:
        """Let somebody be allowed or denied something in a channel, whatever others may."""
        could_see = self._world.may(self._world.bot, Permission.VIEW_CHANNEL, channel)
        self._world.overwrite(channel, account.id, allow=allow, deny=deny)
        self._tell("CHANNEL_UPDATE", channel)
        if not could_see and self._world.may(self._world.bot, Permission.VIEW_CHANNEL, channel):
            self._threads.sync(channel)

    def _changed(self, channel: Channel) -> Channel:
        self._world.channels[channel.id] = channel
        self._tell("CHANNEL_UPDATE", channel)
        return channel

    def _tell(self, name: str, channel: Channel) -> None:
        told: Json = channel_json(self._world, channel)
        self._gateway.dispatch(name, told, intent=Intent.GUILDS)
