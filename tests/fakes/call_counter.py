"""Counts what a piece of code does, which says how long it takes on any machine."""

import gc
import sys
from collections.abc import Callable
from types import FrameType


def calls_of(work: Callable[[], object]) -> int:
    """Return how many calls of functions there are while `work` is called."""
    count = 0

    def noted(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()  # others have functions called whenever it collects
    sys.setprofile(noted)
    try:
        work()
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()
    return count
