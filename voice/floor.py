"""Who may speak: one voice at a time, and notices only in a pause."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager


class Floor:
    """Gives the floor to one speech after the other.

    What is to be said word for word goes before answers that wait; notices are called one at a
    time, when it is their turn.

    Args:
        notices_wait: Told whether any notice waits, whenever that changes.
    """

    def __init__(self, notices_wait: Callable[[bool], None]) -> None:
        self._notices_wait = notices_wait
        self._is_taken = False
        self._urgent: deque[_Turn] = deque()
        self._waiting: deque[_Turn] = deque()
        self._notices: deque[_Turn] = deque()

    @asynccontextmanager
    async def taken(self, *, is_urgent: bool = False) -> AsyncGenerator[None, None]:
        """Have the floor while the block lasts; waits for it."""
        if self._is_taken:
            turn, queue = _Turn(), self._urgent if is_urgent else self._waiting
            queue.append(turn)
            await self._granted(turn, queue)
        self._is_taken = True
        try:
            yield
        finally:
            self._release()

    @asynccontextmanager
    async def taken_for_notice(self) -> AsyncGenerator[None, None]:
        """Have the floor for a notice while the block lasts; waits until `call_notice`."""
        turn = _Turn()
        self._notices.append(turn)
        try:
            self._notices_wait(True)  # noqa: FBT003 - it is what is told
            await self._granted(turn, self._notices)
        finally:
            if not self._notices:
                self._notices_wait(False)  # noqa: FBT003 - it is what is told
        try:
            yield
        finally:
            self._release()

    def call_notice(self) -> None:
        """Let the next notice speak, unless somebody has the floor."""
        if not self._is_taken and self._notices:
            self._hand_to(self._notices)

    async def _granted(self, turn: "_Turn", queue: "deque[_Turn]") -> None:
        try:
            await turn.came.wait()
        except asyncio.CancelledError:
            if turn in queue:
                queue.remove(turn)
            else:
                self._release()  # it was handed over in the same moment
            raise

    def _release(self) -> None:
        self._is_taken = False
        if queue := self._urgent or self._waiting:
            self._hand_to(queue)

    def _hand_to(self, queue: "deque[_Turn]") -> None:
        self._is_taken = True
        queue.popleft().came.set()


class _Turn:
    """Somebody's wait for the floor."""

    def __init__(self) -> None:
        self.came = asyncio.Event()
