"""The thread with the event loop in which an author's `async` functions run.

Imported when there is one: `asyncio` takes longer to import than all the rest.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from papercup_plugin.workers import run_guarded

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from concurrent.futures import Future

T = TypeVar("T")

_TIDY_SECONDS = 0.5
"""How long what is cancelled may take to end."""


class LoopThread:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="papercup-loop", daemon=True)
        self._thread.start()

    def start(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine; the future's `cancel` cancels it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def close(self) -> None:
        """End all that runs, and the loop."""
        self._is_closing = True
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(2 * _TIDY_SECONDS)

    def _run(self) -> None:
        try:
            self._serve()
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                # One that ends already must not be cancelled again as it tidies up.
                if not task.cancelling():
                    task.cancel()
            if tasks:
                self._loop.run_until_complete(asyncio.wait(tasks, timeout=_TIDY_SECONDS))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            self._loop.close()

    def _serve(self) -> None:
        while not self._is_closing:
            # One task that wants the program to end does not end those of the others.
            run_guarded(self._loop.run_forever)
