"""What every account that a test drives has in common."""

from simulator.discord.core import Core
from simulator.discord.errors import NotAllowedError
from simulator.discord.model import Account, Channel, ChannelKind, Message
from simulator.discord.permissions import Permission


class Actor:
    """Somebody whom a test drives."""

    def __init__(self, core: Core, account: Account) -> None:
        self._core = core
        self.account = account
        """What others see."""

    @property
    def id(self) -> int:
        """The id of the account."""
        return self.account.id

    @property
    def name(self) -> str:
        """As others see it."""
        return self.account.name

    def _newest(self, message: Message) -> Message:
        return self._core.world.messages.get(message.id, message)

    def _sees(self, message: Message) -> bool:
        world = self._core.world
        is_there = message.id in world.messages and message.visible_to(self.account)
        return is_there and world.may(self.account, Permission.VIEW_CHANNEL, message.channel)

    def _require(self, permission: Permission, channel: Channel, what: str) -> None:
        if not self._core.world.may(self.account, permission, channel):
            raise NotAllowedError(self.name, what, channel.name)


def is_direct(channel: Channel) -> bool:
    """Say whether these are direct messages."""
    return channel.kind is ChannelKind.DIRECT
