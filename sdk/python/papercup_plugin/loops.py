"""The event loop of a plugin, which there is once it is needed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from papercup_plugin.calls import Call
    from papercup_plugin.loop_thread import LoopThread


class Loop:
    """Runs what is `async`, in a thread of its own."""

    def __init__(self) -> None:
        self._thread: LoopThread | None = None
        self._lock = threading.Lock()

    def run(self, coroutine: Any, call: Call) -> Any:
        """Run a coroutine for a call, and wait for it; never in the loop's own thread.

        Raises:
            CallCancelled: If nobody waits for the call any more.
        """
        future = self._started().start(coroutine)

        def cancel() -> None:
            future.cancel()

        call.on_cancel(cancel)
        try:
            return future.result()
        except BaseException:
            call.raise_if_cancelled()
            raise
        finally:
            call.forget(cancel)

    def close(self) -> None:
        """End it, and all that runs in it."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.close()

    def _started(self) -> LoopThread:
        with self._lock:
            if self._thread is None:
                from papercup_plugin.loop_thread import LoopThread  # noqa: PLC0415 - it is slow

                self._thread = LoopThread()
            return self._thread
