"""The calls of ours that wait for an answer, and when they give up."""

import asyncio
from typing import TypeAlias

from extensions.rpc.errors import PeerError, PeerTimeoutError
from extensions.rpc.messages import Failure, Success

Outcome: TypeAlias = Success | Failure | PeerError
"""How a call ended. Errors are values here, so that one nobody waits for any more is no trouble."""

_NEVER = float("inf")


class PendingCalls:
    """Gives each call its outcome, once.

    There is one timer for all of them, and it is moved only for a call that gives up earlier than
    the others: most are answered long before, and a timer each would take longer than the rest.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._calls: dict[int, _Call] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = _NEVER

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, call_id: int, method: str, timeout_seconds: float) -> asyncio.Future[Outcome]:
        """Return what the outcome of a new call will stand in."""
        future: asyncio.Future[Outcome] = self._loop.create_future()
        deadline = self._loop.time() + timeout_seconds
        self._calls[call_id] = (future, deadline, method, timeout_seconds)
        if deadline < self._timer_at:
            self._set_timer(deadline)
        return future

    def settle(self, call_id: object, outcome: Outcome) -> bool:
        """Give a call its outcome; return whether it still waited for one."""
        # Anything may come as an id, and 1.0 and True are 1 to a dictionary.
        call = self._calls.pop(call_id, None) if type(call_id) is int else None
        if call is None:
            return False
        if not call[0].done():
            call[0].set_result(outcome)
        return True

    def forget(self, call_id: int) -> bool:
        """Wait for a call no more; return whether it still waited."""
        return self._calls.pop(call_id, None) is not None

    def end(self, error: PeerError) -> None:
        """Give all of them the same outcome."""
        calls, self._calls = self._calls, {}
        for future, *_ in calls.values():
            if not future.done():
                future.set_result(error)
        self._set_timer(_NEVER)

    def _set_timer(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = at
        self._timer = None if at == _NEVER else self._loop.call_at(at, self._give_up)

    def _give_up(self) -> None:
        # As the event loop has it, a timer may come up to one tick of the clock too early.
        now = max(self._loop.time(), self._timer_at)
        late = [call_id for call_id, call in self._calls.items() if call[1] <= now]
        for call_id in late:
            _, _, method, timeout_seconds = self._calls[call_id]
            self.settle(call_id, PeerTimeoutError(method, timeout_seconds))
        self._timer = None
        self._set_timer(min((call[1] for call in self._calls.values()), default=_NEVER))


_Call: TypeAlias = tuple[asyncio.Future[Outcome], float, str, float]
"""Its outcome, when it gives up, its method, and after how many seconds that is."""
