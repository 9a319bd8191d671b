"""Reactions to messages."""

from dataclasses import replace

from simulator.discord.account_wire import member_json
from simulator.discord.errors import ApiError
from simulator.discord.herald import REACTIONS, Herald
from simulator.discord.model import Account, Json, Message
from simulator.discord.world import World

EMOJI_PER_MESSAGE = 20


class Reactions:
    """Who reacted to what."""

    def __init__(self, world: World, herald: Herald) -> None:
        self._world = world
        self._herald = herald

    def add(self, message: Message, account: Account, emoji: str) -> None:
        """React to a message, once.

        Raises:
            ApiError: If that is no emoji, or the message has too many.
        """
        if emoji.isascii():
            raise ApiError(400, 10014, "Unknown Emoji")
        present = {one for one, who in message.reactions.items() if who}
        if emoji not in present and len(present) >= EMOJI_PER_MESSAGE:
            raise ApiError(403, 30010, "Maximum number of reactions reached (20)")
        who = message.reactions.get(emoji, frozenset())
        if account.id in who:
            return
        self._keep(message, emoji, who | {account.id})
        added: Json = {"message_author_id": str(message.author.id)}
        if message.channel.guild_id is not None:
            added["member"] = member_json(self._world, account)
        self._tell("MESSAGE_REACTION_ADD", message, account, emoji, added)

    def take_back(self, message: Message, account: Account, emoji: str) -> None:
        """Take somebody's reaction away; harmless if it is not there."""
        who = message.reactions.get(emoji, frozenset())
        if account.id in who:
            self._keep(message, emoji, who - {account.id})
            self._tell("MESSAGE_REACTION_REMOVE", message, account, emoji, {})

    def _keep(self, message: Message, emoji: str, who: frozenset[int]) -> None:
        reactions = {**message.reactions, emoji: who}
        self._world.messages[message.id] = replace(message, reactions=reactions)

    def _tell(self, name: str, message: Message, account: Account, emoji: str, added: Json) -> None:
        data: Json = {
            "user_id": str(account.id),
            "channel_id": str(message.channel.id),
            "message_id": str(message.id),
            "emoji": {"id": None, "name": emoji},
            "burst": False,
            "type": 0,
        }
        self._herald.tell(name, data | added, channel=message.channel, topic=REACTIONS)
