"""Opening a thread, and what is written about it where it is opened."""

from simulator.discord.board import Board
from simulator.discord.drafts import Draft
from simulator.discord.errors import ApiError
from simulator.discord.model import Account, Channel, Message, MessageKind, Pointer
from simulator.discord.threads import Threads
from simulator.discord.world import World


class Opening:
    """How threads come about."""

    def __init__(self, world: World, board: Board, threads: Threads) -> None:
        self._world = world
        self._board = board
        self._threads = threads

    def open(
        self, owner: Account, parent: Channel, name: str, *, archive_minutes: int = 1440
    ) -> Channel:
        """Open a thread in a channel; a line there says so.

        Raises:
            ApiError: If it cannot be opened there.
        """
        thread = self._threads.open(
            owner, parent, name, at=self._world.ids.next(), archive_minutes=archive_minutes
        )
        self._board.put_up(
            owner,
            parent,
            Draft(text=name),
            kind=MessageKind.THREAD_CREATED,
            points_to=Pointer(channel_id=thread.id),
        )
        return self._world.channels[thread.id]

    def open_from(
        self, owner: Account, message: Message, name: str, *, archive_minutes: int = 1440
    ) -> Channel:
        """Open a thread from a message, with which it begins.

        Raises:
            ApiError: If it cannot be opened there, or there is one already.
        """
        if message.is_system:
            raise ApiError(403, 50021, "Cannot execute action on a system message")
        parent = self._world.channels[message.channel.id]
        thread = self._threads.open(
            owner, parent, name, at=message.id, archive_minutes=archive_minutes
        )
        self._board.replace(message)
        self._board.put_up(
            owner,
            thread,
            Draft(),
            kind=MessageKind.THREAD_STARTER,
            points_to=Pointer(channel_id=parent.id, message_id=message.id),
        )
        return self._world.channels[thread.id]
