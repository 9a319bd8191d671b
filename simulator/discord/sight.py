"""Where people write, and what they see there."""

from collections.abc import Callable
from typing import Protocol

from simulator.discord.core import Core
from simulator.discord.errors import NotSeenError
from simulator.discord.model import Account, Channel, Message

WAIT_SECONDS = 10.0
_SHOWN_ON_FAILURE = 8

Predicate = Callable[[Message], bool] | str
"""What one waits for in a message; a text is looked for in what it says."""


class Viewer(Protocol):
    """Somebody who looks."""

    @property
    def account(self) -> Account:
        """Who it is."""
        ...


class TextChannel:
    """A place to write in."""

    def __init__(self, core: Core, channel: Channel) -> None:
        self._core = core
        self.channel = channel
        """What it is made of."""

    @property
    def id(self) -> int:
        """Its id."""
        return self.channel.id

    @property
    def name(self) -> str:
        """Its name."""
        return self.channel.name

    def messages_for(self, person: Viewer) -> list[Message]:
        """Return what a person sees there, oldest first, ephemeral messages included."""
        return [
            message
            for message in self._core.world.messages.values()
            if message.channel == self.channel and message.visible_to(person.account)
        ]


async def wait_to_see(
    core: Core,
    viewer: Viewer,
    channel: TextChannel,
    wanted: Predicate,
    *,
    after: Message | None,
    timeout_seconds: float,
) -> Message:
    """Wait until a message is as wanted, and return the newest that is.

    Raises:
        NotSeenError: If there was none in time.
    """
    oldest = 0 if after is None else after.id

    def newest_match() -> Message | None:
        for message in reversed(channel.messages_for(viewer)):
            if message.id > oldest and _is_wanted(message, wanted):
                return message
        return None

    try:
        return await core.journal.until(newest_match, timeout_seconds=timeout_seconds)
    except TimeoutError:
        seen = channel.messages_for(viewer)[-_SHOWN_ON_FAILURE:]
        raise NotSeenError(
            who=viewer.account.name,
            where=channel.name,
            last_seen=[f"{message.author.name}: {message.text}" for message in seen],
        ) from None


def _is_wanted(message: Message, wanted: Predicate) -> bool:
    return wanted in message.text if isinstance(wanted, str) else wanted(message)
