"""Routes about channels, and about typing in them."""

from collections import deque

from simulator.discord.channel_wire import channel_json
from simulator.discord.core import Core
from simulator.discord.errors import ApiError, RateLimitedError
from simulator.discord.model import Channel
from simulator.discord.permissions import Permission
from simulator.discord.rest.call import NOTHING, Answer, Call, Route

_RENAME_SECONDS = 600.0
_CHANNEL = "/channels/{channel_id}"


class ChannelRoutes:
    """Channels of the guild, threads, and direct messages."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._renamed_at: dict[int, deque[float]] = {}
        """Monotonic, by channel, oldest first."""

    def routes(self) -> list[Route]:
        """Return what is served here."""
        return [
            Route(method="GET", template=_CHANNEL, handler=self._channel),
            Route(method="PATCH", template=_CHANNEL, handler=self._change),
            Route(method="DELETE", template=_CHANNEL, handler=self._delete),
            Route(method="POST", template="/channels/{channel_id}/typing", handler=self._typing),
            Route(method="GET", template="/guilds/{guild_id}/channels", handler=self._of_guild),
            Route(method="POST", template="/users/@me/channels", handler=self._direct),
        ]

    async def _channel(self, call: Call) -> Answer:
        return self._told(self._core.world.channel(call.params["channel_id"]))

    async def _change(self, call: Call) -> Answer:
        channel = self._core.world.channel(call.params["channel_id"])
        if channel.guild_id is None:
            raise ApiError(400, 50024, "Cannot execute action on this channel type")
        self._require_management(channel, call)
        if "name" in call.body and call.body["name"] != channel.name:
            self._count_rename(channel)
            channel = self._core.places.rename(channel, str(call.body["name"]))
        if channel.thread is not None:
            channel = self._core.threads.change(
                channel,
                is_archived=call.body.get("archived"),
                is_locked=call.body.get("locked"),
                archive_minutes=call.body.get("auto_archive_duration"),
            )
        elif "topic" in call.body:
            channel = self._core.places.set_topic(channel, call.body["topic"])
        return self._told(channel)

    def _require_management(self, channel: Channel, call: Call) -> None:
        if channel.thread is None:
            self._core.world.require(Permission.MANAGE_CHANNELS, channel)
        elif channel.thread.owner != self._core.world.bot or "locked" in call.body:
            self._core.world.require(Permission.MANAGE_THREADS, channel)

    def _count_rename(self, channel: Channel) -> None:
        now = self._core.clock.seconds()
        renamed_at = self._renamed_at.setdefault(channel.id, deque())
        while renamed_at and renamed_at[0] + _RENAME_SECONDS <= now:
            renamed_at.popleft()
        if len(renamed_at) >= self._core.settings.renames_per_ten_minutes:
            raise RateLimitedError(round(renamed_at[0] + _RENAME_SECONDS - now, 3))
        renamed_at.append(now)

    async def _delete(self, call: Call) -> Answer:
        channel = self._core.world.channel(call.params["channel_id"])
        wanted = Permission.MANAGE_CHANNELS
        if channel.thread is not None:
            wanted = Permission.MANAGE_THREADS
        self._core.world.require(wanted, channel)
        answer = self._told(channel)
        self._core.places.delete(channel)
        return answer

    async def _typing(self, call: Call) -> Answer:
        channel = self._core.world.channel_to_write_in(call.params["channel_id"])
        self._core.board.start_typing(self._core.world.bot, channel)
        return NOTHING

    async def _of_guild(self, call: Call) -> Answer:
        self._core.world.check_guild(call.params["guild_id"])
        world = self._core.world
        return Answer(body=[channel_json(world, channel) for channel in world.guild_channels()])

    async def _direct(self, call: Call) -> Answer:
        recipient = self._core.world.account(str(call.body.get("recipient_id")))
        return self._told(self._core.world.direct_channel(recipient))

    def _told(self, channel: Channel) -> Answer:
        return Answer(body=channel_json(self._core.world, channel))
