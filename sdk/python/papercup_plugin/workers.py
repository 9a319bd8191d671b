"""The threads in which an author's plain functions run."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import TypeAlias

Job: TypeAlias = Callable[[], object]

MOST_THREADS = 64
MOST_WAITING = 1000
"""So many jobs may wait for a thread."""
MOST_EVENTS = 1000
"""So many events may wait for those before them; beyond that, the oldest are dropped."""


class Workers:
    """Runs several jobs at once, each in a thread."""

    def __init__(self, most_threads: int = MOST_THREADS, most_waiting: int = MOST_WAITING) -> None:
        self._most_threads = most_threads
        self._most_open = most_threads + most_waiting
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._news = threading.Condition()
        self._open = 0
        """How many jobs run or wait."""
        self._threads = 0

    def submit(self, job: Job) -> bool:
        """Have a job done; `False`: too many wait already."""
        with self._news:
            if self._open >= self._most_open:
                return False
            self._open += 1
            is_one_needed = self._open > self._threads and self._threads < self._most_threads
            self._threads += is_one_needed
        self._jobs.put(job)
        if is_one_needed:
            # Ends with the program: what hangs in it must not keep the plugin from ending.
            threading.Thread(target=self._work, name="papercup-worker", daemon=True).start()
        return True

    def drain(self, timeout_seconds: float) -> bool:
        """Wait until all is done, and return whether it is."""
        with self._news:
            return self._news.wait_for(lambda: not self._open, timeout_seconds)

    def close(self) -> None:
        """Have the threads end once they have nothing to do."""
        for _ in range(self._threads):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            run_guarded(job)
            with self._news:
                self._open -= 1
                self._news.notify_all()


class EventLane:
    """Runs jobs one after the other, in one thread, as events have an order."""

    def __init__(self, most_waiting: int = MOST_EVENTS) -> None:
        self._waiting: deque[Job] = deque()
        self._most_waiting = most_waiting
        self._news = threading.Condition()
        self._has_thread = False
        self._is_busy = False
        self._is_closed = False
        self.dropped = 0
        """How many were dropped."""

    def submit(self, job: Job) -> None:
        """Have a job done after those before it."""
        with self._news:
            if self._is_closed:
                return
            if len(self._waiting) >= self._most_waiting:
                self._waiting.popleft()
                self.dropped += 1
            self._waiting.append(job)
            self._news.notify_all()
            is_one_needed, self._has_thread = not self._has_thread, True
        if is_one_needed:
            threading.Thread(target=self._work, name="papercup-events", daemon=True).start()

    def drain(self, timeout_seconds: float) -> bool:
        """Wait until all is done, and return whether it is."""
        with self._news:
            return self._news.wait_for(
                lambda: not self._waiting and not self._is_busy, timeout_seconds
            )

    def close(self) -> None:
        """Do nothing more, but for what is being done."""
        with self._news:
            self._is_closed = True
            self._waiting.clear()
            self._news.notify_all()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            run_guarded(job)

    def _next(self) -> Job | None:
        with self._news:
            self._is_busy = False
            self._news.notify_all()
            self._news.wait_for(lambda: self._waiting or self._is_closed)
            self._is_busy = bool(self._waiting)
            return self._waiting.popleft() if self._waiting else None


def run_guarded(job: Job) -> None:
    """Do a job; what it raises ends it alone, and is written to the standard error."""
    try:
        job()
    except BaseException:  # noqa: BLE001 - a thread serves others after it
        report()


def report() -> None:
    """Write the exception that is being handled to the standard error, which the host logs."""
    import traceback  # noqa: PLC0415 - few need it

    # Whoever closed it, or gave up to read it, does without; somebody still waits for an answer.
    with suppress(OSError, ValueError):
        traceback.print_exc(file=sys.stderr)
