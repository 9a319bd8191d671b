"""Runs the work of models in a few threads, the most urgent first."""

import asyncio
import contextlib
import heapq
import itertools
import logging
import queue
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

_WAITING_LIMIT = 64
_GRACE_SECONDS = 5.0


class Priority(IntEnum):
    """What goes first."""

    INTERRUPTION = 0
    """Whether somebody interrupts the bot: it is silent meanwhile."""
    FINAL = 1
    """What somebody has said: they wait for the answer."""
    GUESS = 2
    """What somebody may have said; nobody waits for it."""


class PoolFullError(Exception):
    """More work waits than can be caught up with, and this was the least urgent."""

    def __str__(self) -> str:
        return "the speech models cannot keep up, so something was left out"


@dataclass(order=True, slots=True)
class _Work:
    priority: Priority
    number: int
    """What came first goes first, among what is equally urgent."""
    function: Callable[[], Any] = field(compare=False)
    future: asyncio.Future[Any] = field(compare=False)


_Inbox = queue.SimpleQueue[tuple[_Work, "ModelPool"] | None]


class ModelPool:
    """A few threads in which models work. Use it on the loop's thread."""

    def __init__(self, inbox: _Inbox, threads: int, waiting_limit: int) -> None:
        self.loop = asyncio.get_running_loop()
        self._inbox = inbox
        self._idle = threads
        self._threads = threads
        self._limit = waiting_limit
        self._waiting: list[_Work] = []
        self._numbers = itertools.count()
        self._is_closed = False
        self._all_idle = asyncio.Event()
        self._all_idle.set()

    async def run(self, priority: Priority, work: Callable[[], T]) -> T:
        """Do some work in a thread, and return what comes of it.

        Work that is cancelled while it waits is never begun; what has begun goes on to its end,
        and nobody is told of it.

        Raises:
            PoolFullError: If too much waits, and nothing that is less urgent than this. What is
                least urgent, and came last, makes room.
        """
        if self._is_closed:
            raise RuntimeError("the pool is closed")
        future: asyncio.Future[T] = self.loop.create_future()
        self._add(_Work(priority, next(self._numbers), work, future))
        try:
            return await future
        finally:
            if future.cancelled():
                self._forget(future)

    @property
    def waiting_count(self) -> int:
        """How much work waits for a thread."""
        return len(self._waiting)

    @property
    def busy_count(self) -> int:
        """How many threads work."""
        return self._threads - self._idle

    def close(self) -> None:
        """Cancel all that waits, and take nothing more."""
        self._is_closed = True
        for each in self._waiting:
            each.future.cancel()
        self._waiting.clear()

    async def idle(self) -> None:
        """Return once no thread works."""
        await self._all_idle.wait()

    def finished(self, work: _Work, result: Any, error: BaseException | None) -> None:
        """Tell what came of some work, and hand out the next."""
        self._idle += 1
        if not work.future.done():
            if error is None:
                work.future.set_result(result)
            else:
                work.future.set_exception(error)
        self._hand_out()
        if self._idle == self._threads:
            self._all_idle.set()

    def _add(self, work: _Work) -> None:
        heapq.heappush(self._waiting, work)
        self._hand_out()
        if len(self._waiting) > self._limit:
            last = max(self._waiting)
            self._forget(last.future)
            last.future.set_exception(PoolFullError())

    def _hand_out(self) -> None:
        # Only what a thread takes at once: what waits in the inbox could not be taken back.
        while self._idle and self._waiting:
            self._idle -= 1
            self._all_idle.clear()
            self._inbox.put((heapq.heappop(self._waiting), self))

    def _forget(self, future: asyncio.Future[Any]) -> None:
        self._waiting = [each for each in self._waiting if each.future is not future]
        heapq.heapify(self._waiting)


@asynccontextmanager
async def open_model_pool(
    threads: int, *, waiting_limit: int = _WAITING_LIMIT
) -> AsyncGenerator[ModelPool, None]:
    """Have threads for models meanwhile; at the end, what waits is cancelled.

    Args:
        threads: How many; each keeps one core busy while it works.
        waiting_limit: How much work may wait for a thread.
    """
    inbox: _Inbox = queue.SimpleQueue()
    pool = ModelPool(inbox, threads, waiting_limit)
    for number in range(threads):
        # Daemons: a model that never returns must not keep the process from ending.
        threading.Thread(target=_work, args=(inbox,), name=f"model-{number}", daemon=True).start()
    try:
        yield pool
    finally:
        pool.close()
        for _ in range(threads):
            inbox.put(None)
        await _wait_until_idle(pool)


async def _wait_until_idle(pool: ModelPool) -> None:
    try:
        async with asyncio.timeout(_GRACE_SECONDS):
            await pool.idle()
    except TimeoutError:
        logger.warning("%s threads of models still work; they are left", pool.busy_count)


def _work(inbox: _Inbox) -> None:
    while (told := inbox.get()) is not None:
        work, pool = told
        result, error = _outcome(work.function)
        # The loop has gone if the work took longer than the pool waits for it at its end.
        with contextlib.suppress(RuntimeError):
            pool.loop.call_soon_threadsafe(pool.finished, work, result, error)


def _outcome(function: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    try:
        return function(), None
    except BaseException as error:  # noqa: BLE001 - it is raised where the work is awaited
        return None, error
