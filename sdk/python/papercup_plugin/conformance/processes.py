"""Processes that are known by a variable of their environment, as children inherit it. Linux.

Elsewhere none is found.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROCESSES = Path("/proc")
_LEAST_ROUNDS = 2
"""For what was just being started, and so could not be seen."""
_MOST_ROUNDS = 20


def find_marked(mark: str) -> dict[int, str]:
    """Return the processes in whose environment that stands: the name of each, by its number.

    Args:
        mark: Such as `NAME=value`.
    """
    return {pid: _name(pid) for pid in _marked(mark.encode())}


def kill_marked(mark: str) -> None:
    """Kill them, and what they start meanwhile: it looks again until none is left, or too often."""
    for number in range(1, _MOST_ROUNDS + 1):
        found = list(_marked(mark.encode()))
        if not found and number >= _LEAST_ROUNDS:
            return
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _marked(mark: bytes) -> Iterator[int]:
    for folder in _PROCESSES.glob("[0-9]*"):
        # Of other users, or gone meanwhile; and one that has ended has no environment any more.
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)


def _name(pid: int) -> str:
    with suppress(OSError):
        words = (_PROCESSES / str(pid) / "cmdline").read_bytes().split(b"\0")
        return b" ".join(words).decode(errors="replace").strip()
    return str(pid)
