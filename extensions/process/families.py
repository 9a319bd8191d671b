"""All processes that a child has started, also those that left its group. Linux."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MARK_NAME = "PAPERCUP_FAMILY"
"""The variable by which the processes of a family are known, as children inherit it."""

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_ROUNDS = 5
_MOST_LOOKED_AT = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilySize:
    """How large a family is."""

    processes: int
    memory_bytes: int
    """What they have in memory; what two of them share counts twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyLimits:
    """How large a family may become."""

    memory_bytes: int | None = None
    processes: int | None = None

    def outgrown_by(self, pid: int) -> str | None:
        """Return in words which of them the family of a process breaks; `None` if none."""
        most = _MOST_LOOKED_AT if self.processes is None else self.processes
        size = family_size(pid, limit=most + 1)
        if size.processes > most:
            return f"it had more than {most} processes"
        if self.memory_bytes is not None and size.memory_bytes > self.memory_bytes:
            return f"it took more than {self.memory_bytes // 1024**2} MiB of memory"
        return None


def descendants(pid: int, *, limit: int) -> list[int]:
    """Return a process and those that it started, and they; at most `limit` of them.

    One whose parent has ended is not found.
    """
    found = [pid]
    for each in found:
        found.extend(_children(each))
        if len(found) >= limit:
            break
    return found[:limit]


def family_size(pid: int, *, limit: int) -> FamilySize:
    """Return how large the family of a process is, of which at most `limit` are looked at."""
    members = descendants(pid, limit=limit)
    return FamilySize(processes=len(members), memory_bytes=sum(map(_memory_bytes, members)))


def kill_processes(pids: list[int]) -> None:
    """Kill them; those that have ended already are none of ours any more, and are let be."""
    for pid in pids:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def kill_marked(mark: str, *, since_pid: int) -> int:
    """Kill every process in whose environment `mark` stands; return how many there were.

    They may start others meanwhile, so it looks again until none is left, a few times at most.
    It takes some milliseconds: call it in a thread.

    Args:
        mark: The value that its variable has.
        since_pid: The first process of the family: earlier ones are not looked at.
    """
    wanted = f"{MARK_NAME}={mark}".encode()
    killed = 0
    for _ in range(_ROUNDS):
        found = sum(_kill_if_marked(pid, wanted) for pid in _younger(since_pid))
        if not found:
            break
        killed += found
    return killed


def _kill_if_marked(pid: int, wanted: bytes) -> bool:
    try:
        # Held first and looked at then: so it cannot be another process that is killed.
        held = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        if wanted not in environment.split(b"\0"):
            return False
        signal.pidfd_send_signal(held, signal.SIGKILL)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(held)


def _younger(since_pid: int) -> Iterator[int]:
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - quick
    youngest = int(Path("/proc/loadavg").read_text().rsplit(maxsplit=1)[1])
    # Numbers begin anew when they run out.
    return (pid for pid in pids if pid >= since_pid or youngest < since_pid)


def _children(pid: int) -> Iterator[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - quick
    except OSError:
        return
    for thread in threads:
        with suppress(OSError):
            yield from map(int, Path(f"/proc/{pid}/task/{thread}/children").read_bytes().split())


def _memory_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):
        return 0
