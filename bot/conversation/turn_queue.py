"""The turns of one conversation that wait, and the marks under their messages."""

import asyncio
from collections import deque

from bot.conversation.queue_marks import Marker, QueueMarks
from bot.conversation.turn import Turn, next_turn
from bot.messenger import MessageRef


class TurnQueue:
    """Turns, in the order in which they came. Those that wait for another one are marked."""

    def __init__(self, marker: Marker) -> None:
        self._waiting: deque[Turn] = deque()
        self._came = asyncio.Event()
        self._marks = QueueMarks(marker, self._waits)

    def __len__(self) -> int:
        return len(self._waiting)

    async def keep_marks(self) -> None:
        """Put marks and take them back, until cancelled."""
        await self._marks.run()

    def add(self, turn: Turn, *, must_wait: bool) -> None:
        """Put a turn at the end.

        Args:
            turn: What was said.
            must_wait: Whether another turn is being answered.
        """
        self._waiting.append(turn)
        self._came.set()
        if must_wait or len(self._waiting) > 1:
            self._look_at_marks(turn)

    def add_first(self, turn: Turn) -> None:
        """Put a turn before all that wait."""
        self._waiting.appendleft(turn)
        self._came.set()

    def take_place(self, earlier: MessageRef, turn: Turn) -> bool:
        """Put a turn in the place of that of another message, if it waits; else `False`."""
        for place, waiting in enumerate(self._waiting):
            if waiting.asked_in == earlier:
                self._waiting[place] = turn
                return True
        return False

    async def next(self) -> Turn:
        """Wait for a turn, and take it out, together with those that are answered with it."""
        while not self._waiting:
            self._came.clear()
            await self._came.wait()
        turn, count = next_turn(self._waiting)
        for _ in range(count):
            self._waiting.popleft()
        for ref in turn.messages:
            self._marks.is_answered(ref)
        return turn

    def drain(self) -> list[Turn]:
        """Take all turns out."""
        waiting = list(self._waiting)
        self._waiting.clear()
        return waiting

    def find(self, ref: MessageRef) -> Turn | None:
        """Return the turn of a message, as long as nothing of it was begun."""
        place = self._place_of(ref)
        return None if place is None else self._waiting[place]

    def replace(self, turn: Turn) -> None:
        """Put a turn in the place of the one that was asked in the same message, if it waits."""
        place = self._place_of(turn.asked_in)
        if place is not None:
            self._waiting[place] = turn

    def withdraw(self, ref: MessageRef) -> None:
        """Take out the turn of a message, if it waits; its mark goes with it."""
        place = self._place_of(ref)
        if place is not None:
            turn = self._waiting[place]
            del self._waiting[place]
            self._look_at_marks(turn)

    def _waits(self, ref: MessageRef) -> bool:
        return any(ref in turn.messages for turn in self._waiting)

    def _place_of(self, ref: MessageRef) -> int | None:
        for place, turn in enumerate(self._waiting):
            if turn.asked_in == ref and turn.is_untouched:
                return place
        return None

    def _look_at_marks(self, turn: Turn) -> None:
        if turn.is_spoken:
            return  # there is no message to mark
        for ref in turn.messages:
            self._marks.look_at(ref)
