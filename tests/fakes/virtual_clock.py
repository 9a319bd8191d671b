"""An event loop whose clock jumps to the next thing to do as soon as nothing else can happen."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _JumpingSelector(selectors.SelectSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = super().select(0)
        if not events and timeout is None:
            raise AssertionError("nothing will ever happen")
        if not events:
            assert timeout is not None
            self.now += max(0.0, timeout)
        return events


class _VirtualClockLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run_on_virtual_clock(work: Coroutine[Any, Any, T]) -> T:
    """Run `work`, in which time passes only while all of it waits; no thread may be awaited."""
    with asyncio.Runner(loop_factory=_VirtualClockLoop) as runner:
        return runner.run(work)
