"""Pinned messages."""

from dataclasses import replace

from simulator.discord.board import Board
from simulator.discord.drafts import Draft
from simulator.discord.errors import ApiError
from simulator.discord.herald import CHANNELS, Herald
from simulator.discord.model import Account, Channel, Json, Message, MessageKind, Pointer
from simulator.discord.world import World

PINS_PER_CHANNEL = 250


class Pins:
    """What is pinned where."""

    def __init__(self, world: World, board: Board, herald: Herald) -> None:
        self._world = world
        self._board = board
        self._herald = herald

    def pin(self, account: Account, message: Message) -> None:
        """Pin a message in its channel, and say so there; harmless if it is pinned.

        Raises:
            ApiError: If it cannot be pinned, or too many are.
        """
        if message.is_system:
            raise ApiError(403, 50021, "Cannot execute action on a system message")
        if message.is_pinned:
            return
        channel = message.channel
        if len(self._world.pinned(channel)) >= PINS_PER_CHANNEL:
            text = f"Maximum number of pins reached for the channel ({PINS_PER_CHANNEL})"
            raise ApiError(400, 30003, text)
        now = self._world.clock.seconds()
        self._board.replace(replace(message, pinned_at_seconds=now))
        self._tell(channel)
        self._board.put_up(
            account,
            channel,
            Draft(),
            kind=MessageKind.PINNED,
            points_to=Pointer(channel_id=channel.id, message_id=message.id),
        )

    def unpin(self, message: Message) -> None:
        """Take a message's pin out; harmless if it has none."""
        if message.is_pinned:
            self._board.replace(replace(message, pinned_at_seconds=None))
            self._tell(message.channel)

    def _tell(self, channel: Channel) -> None:
        newest = self._world.pinned(channel)[:1]
        dates = [self._world.clock.date_of(one.pinned_at_seconds or 0.0) for one in newest]
        data: Json = {
            "channel_id": str(channel.id),
            "last_pin_timestamp": dates[0] if dates else None,
        }
        self._herald.tell("CHANNEL_PINS_UPDATE", data, channel=channel, topic=CHANNELS)
