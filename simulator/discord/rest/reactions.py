"""Routes about the reactions to messages."""

from simulator.discord.account_wire import user_json
from simulator.discord.core import Core
from simulator.discord.permissions import Permission
from simulator.discord.rest.call import NOTHING, Answer, Call, Route
from simulator.discord.rest.wanted import wanted_message

_EMOJI = "/channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}"
_OWN = _EMOJI + "/@me"
_SOMEBODYS = _EMOJI + "/{user_id}"


class ReactionRoutes:
    """Reactions, the bot's own and those of others."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Return what is served here."""
        return [
            Route(method="GET", template=_EMOJI, handler=self._who),
            Route(method="PUT", template=_OWN, handler=self._react),
            Route(method="DELETE", template=_OWN, handler=self._take_back),
            Route(method="DELETE", template=_SOMEBODYS, handler=self._take_away),
        ]

    async def _who(self, call: Call) -> Answer:
        message = wanted_message(self._core, call)
        ids = message.reactions.get(call.params["emoji_name"], frozenset())
        accounts = self._core.world.accounts
        return Answer(body=[user_json(accounts[account_id]) for account_id in sorted(ids)])

    async def _react(self, call: Call) -> Answer:
        message, emoji = wanted_message(self._core, call), call.params["emoji_name"]
        # Anybody may add to a reaction that is there.
        if not message.reactions.get(emoji):
            self._core.world.require(Permission.ADD_REACTIONS, message.channel)
        self._core.world.require(Permission.READ_MESSAGE_HISTORY, message.channel)
        self._core.reactions.add(message, self._core.world.bot, emoji)
        return NOTHING

    async def _take_back(self, call: Call) -> Answer:
        message = wanted_message(self._core, call)
        self._core.reactions.take_back(message, self._core.world.bot, call.params["emoji_name"])
        return NOTHING

    async def _take_away(self, call: Call) -> Answer:
        message = wanted_message(self._core, call)
        self._core.world.require(Permission.MANAGE_MESSAGES, message.channel)
        account = self._core.world.account(call.params["user_id"])
        self._core.reactions.take_back(message, account, call.params["emoji_name"])
        return NOTHING
