"""Holds all processes of a run together to its limits of memory and number.

Where the run may have a control group of its own the kernel does it; else the processes are
looked at a few times a second.
"""

from __future__ import annotations

import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MEMORY, PROCESSES = "memory", "processes"

_LOOK_SECONDS = 0.2
_RESTS_PER_LOOK = 20
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_THREADS_EACH = 8
"""A control group counts threads: each process is let have as many, on average."""
_EVENTS = (
    ("memory.events", "oom_kill", MEMORY),
    ("memory.oom_control", "oom_kill", MEMORY),
    ("pids.events", "max", PROCESSES),
)
"""In which file of a group, under which name, stands how often a limit was reached."""


def guard_of(spec: dict[str, Any]) -> ControlGroups | Watch:
    """Return what holds the run to the limits of `spec`."""
    if spec["cgroups"]:
        try:
            return ControlGroups(spec["cgroups"], spec[MEMORY], spec[PROCESSES])
        except OSError as error:
            print("no control group:", error, file=sys.stderr, flush=True)  # noqa: T201
    return Watch(spec[MEMORY], spec[PROCESSES])


class Watch:
    """Looks at what the descendants of this process use."""

    def __init__(self, memory_bytes: int | None, processes: int | None) -> None:
        self._memory_bytes = memory_bytes
        self._processes = processes
        self._look_at = 0.0
        self.folders: list[str] = []

    def exceeded(self) -> str | None:
        """Return which limit is exceeded, if one is. It looks a few times a second only."""
        now = time.monotonic()
        if now < self._look_at:
            return None
        found = self._look()
        # A look takes the longer, the more there is to see.
        took = time.monotonic() - now
        self._look_at = now + max(_LOOK_SECONDS, _RESTS_PER_LOOK * took)
        return found

    def kill(self) -> None:
        """End every descendant of this process that there is now."""
        for pid in _descendants(os.getpid()):
            _kill(pid)

    def close(self) -> None:
        """Do nothing: there is nothing to remove."""

    def _look(self) -> str | None:
        used_bytes = 0
        for count, pid in enumerate(_descendants(os.getpid()), start=1):
            used_bytes += _own_bytes(pid)
            if self._processes is not None and count > self._processes:
                return PROCESSES
            if self._memory_bytes is not None and used_bytes > self._memory_bytes:
                return MEMORY
        return None


class ControlGroups:
    """Has the kernel count, in a group of each hierarchy."""

    def __init__(self, parents: list[str], memory_bytes: int | None, processes: int | None) -> None:
        """Make the groups.

        Raises:
            OSError: If one cannot be made.
        """
        tasks = None if processes is None else processes * _THREADS_EACH
        self._values = {
            # As version 1 calls them, and version 2.
            "memory.limit_in_bytes": memory_bytes,
            "memory.memsw.limit_in_bytes": memory_bytes,
            "memory.max": memory_bytes,
            "memory.swap.max": None if memory_bytes is None else 0,
            "memory.oom.group": None if memory_bytes is None else 1,
            "pids.max": tasks,
        }
        self._processes = processes
        self.folders: list[str] = []
        """A process joins them by writing 0 to the file `cgroup.procs` of each."""
        try:
            for parent in parents:
                self._make(f"{parent}/papercup-{os.getpid()}-{time.time_ns():x}")
        except OSError:
            self.close()
            raise

    def exceeded(self) -> str | None:
        """Return which limit was reached, if one was."""
        for folder in self.folders:
            for name, event, limit in _EVENTS:
                if _number_after(event, _read(f"{folder}/{name}")):
                    return limit
        if self._processes is not None and len(self._pids()) > self._processes:
            return PROCESSES
        return None

    def kill(self) -> None:
        """End every process of the groups that there is now."""
        for folder in self.folders:
            if os.path.exists(f"{folder}/cgroup.kill"):  # noqa: PTH110 - pathlib is large
                _write(f"{folder}/cgroup.kill", "1")
                return
        for pid in self._pids():
            _kill(pid)

    def close(self) -> None:
        """Remove the groups, which must be empty."""
        for folder in self.folders:
            try:
                os.rmdir(folder)  # noqa: PTH106 - pathlib is large
            except OSError as error:
                print("a control group stays:", error, file=sys.stderr, flush=True)  # noqa: T201

    def _make(self, folder: str) -> None:
        os.mkdir(folder)  # noqa: PTH102 - pathlib is large
        self.folders.append(folder)
        for name, value in self._values.items():
            path = f"{folder}/{name}"
            if value is not None and os.path.exists(path):  # noqa: PTH110 - pathlib is large
                _write(path, str(value))

    def _pids(self) -> list[int]:
        return [int(word) for word in _read(f"{self.folders[0]}/cgroup.procs").split()]


def _descendants(pid: int) -> Iterator[int]:
    """Yield the processes below `pid`."""
    waiting = [pid]
    while waiting:
        for child in _children_of_threads(waiting.pop()):
            waiting.append(child)
            yield child


def _children_of_threads(pid: int) -> Iterator[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - pathlib is large
    except OSError:
        return
    for thread in threads:
        yield from map(int, _read(f"/proc/{pid}/task/{thread}/children").split())


def _own_bytes(pid: int) -> int:
    """Return the memory that a process does not share with a file or, by intent, with others."""
    pages = _read(f"/proc/{pid}/statm").split()
    return (int(pages[1]) - int(pages[2])) * _PAGE_BYTES if pages else 0


def _number_after(name: str, text: str) -> int:
    words = text.split()
    return int(words[words.index(name) + 1]) if name in words else 0


def _read(path: str) -> str:
    """Return what stands in the file; nothing, if it is gone."""
    try:
        with open(path) as file:  # noqa: PTH123 - pathlib is large
            return file.read()
    except OSError:
        return ""


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:  # noqa: PTH123 - pathlib is large
        file.write(text)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
