"""Where people write, and what they see there."""

from collections.abc import Callable
from typing import Protocol

from simulator.discord.core import Core
from simulator.discord.errors import NotSeenError
from simulator.discord.model import Account, Channel, Message
from simulator.discord.permissions import Permission

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
    """A place to write in: a channel, a thread, or direct messages."""

    def __init__(self, core: Core, channel: Channel) -> None:
        self._core = core
        self._channel = channel

    @property
    def channel(self) -> Channel:
        """What it is made of now; as it was at first, if it is gone."""
        return self._core.world.channels.get(self._channel.id, self._channel)

    @property
    def id(self) -> int:
        """Its id."""
        return self._channel.id

    @property
    def name(self) -> str:
        """Its name, at this moment."""
        return self.channel.name

    @property
    def parent_id(self) -> int | None:
        """For a thread, the id of the channel in which it is."""
        return self.channel.parent_id

    @property
    def is_archived(self) -> bool:
        """Whether it is a thread that was put away."""
        return self.channel.thread is not None and self.channel.thread.is_archived

    @property
    def is_locked(self) -> bool:
        """Whether it is a thread that only moderators can bring back."""
        return self.channel.thread is not None and self.channel.thread.is_locked

    @property
    def pinned(self) -> list[Message]:
        """What is pinned there, the newest pin first."""
        return self._core.world.pinned(self.channel)

    def messages_for(self, person: Viewer) -> list[Message]:
        """Return what a person sees there, oldest first, ephemeral messages included."""
        world = self._core.world
        if not world.may(person.account, Permission.VIEW_CHANNEL, self.channel):
            return []
        return [
            message
            for message in world.messages.values()
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
