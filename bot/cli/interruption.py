"""Has commands clean up after themselves, however they are ended."""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ended_like_ctrl_c() -> Generator[None]:
    """Have SIGTERM interrupt what is done, so that it cleans up after itself."""
    if threading.current_thread() is not threading.main_thread():
        # Signals are seen to by the main thread alone.
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_number: int, frame: FrameType | None) -> None:
    # Whoever sees to Ctrl-C at present: an event loop in which anything is raised loses events.
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)
    else:
        raise KeyboardInterrupt
