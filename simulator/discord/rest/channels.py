"""Routes about channels, and about typing in them."""

from simulator.discord.core import Core
from simulator.discord.rest.call import NOTHING, Answer, Call, Route
from simulator.discord.wire import channel_json


class ChannelRoutes:
    """Channels of the guild, and direct messages."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Return what is served here."""
        return [
            Route(method="GET", template="/channels/{channel_id}", handler=self._channel),
            Route(method="POST", template="/channels/{channel_id}/typing", handler=self._typing),
            Route(method="GET", template="/guilds/{guild_id}/channels", handler=self._of_guild),
            Route(method="POST", template="/users/@me/channels", handler=self._direct),
        ]

    async def _channel(self, call: Call) -> Answer:
        return Answer(body=channel_json(self._core.world.channel(call.params["channel_id"])))

    async def _typing(self, call: Call) -> Answer:
        channel = self._core.world.channel_to_write_in(call.params["channel_id"])
        self._core.board.start_typing(self._core.world.bot, channel)
        return NOTHING

    async def _of_guild(self, call: Call) -> Answer:
        self._core.world.check_guild(call.params["guild_id"])
        channels = self._core.world.guild_channels()
        return Answer(body=[channel_json(channel) for channel in channels])

    async def _direct(self, call: Call) -> Answer:
        recipient = self._core.world.account(str(call.body.get("recipient_id")))
        return Answer(body=channel_json(self._core.world.direct_channel(recipient)))
