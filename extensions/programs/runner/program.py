"""The program of a run, as a process."""

from __future__ import annotations

import ctypes
import os
import resource
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_PR_SET_PDEATHSIG = 1
_PENDING_BYTES = 16 << 20


class Stdin:
    """The program's stdin; never waits for the program to read."""

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._pending = bytearray()
        self._is_closing = False

    @property
    def is_open(self) -> bool:
        """Whether more can be sent."""
        return self._fd >= 0 and not self._is_closing

    @property
    def waits_for(self) -> int | None:
        """The descriptor that must become writable for what is pending, if anything is."""
        return self._fd if self._pending and self._fd >= 0 else None

    def send(self, line: str) -> str | None:
        """Queue a line; return why it cannot be."""
        if not self.is_open:
            return "the program's stdin is closed"
        if len(self._pending) > _PENDING_BYTES:
            return "the program does not read its stdin"
        self._pending += line.rstrip("\n").encode() + b"\n"
        self.flush()
        return None

    def close(self) -> None:
        """Close it as soon as all is written."""
        self._is_closing = True
        self.flush()

    def flush(self) -> None:
        """Write what the pipe takes."""
        try:
            while self._pending and self._fd >= 0:
                del self._pending[: os.write(self._fd, self._pending)]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._is_closing = True
            self._pending.clear()
        if self._is_closing and self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class Program:
    """The program, and the wrappers that it runs in."""

    def __init__(self, spec: dict[str, Any], secrets: dict[str, Any], cgroups: list[str]) -> None:
        self._wrappers: int = spec["wrappers"]
        self._pidfd = -1
        self.pid: int | None = None
        """The program itself, once it is found."""
        stdin, write_end = os.pipe()
        files = {0: stdin, 1: _open_log("out.jsonl"), 2: _open_log("err.log")}
        for number, content in secrets["descriptors"].items():
            files[int(number)] = _memory_file(bytes.fromhex(content))
        runner = os.getpid()
        self.group = os.fork()
        """The process started here, which is the outermost wrapper, and leads a group."""
        if self.group == 0:
            _become(spec, secrets["environment"], files, runner, cgroups)
        for fd in files.values():
            os.close(fd)
        self.stdin = Stdin(write_end)

    def find(self) -> bool:
        """Look for the program in its wrappers; return whether it was found just now."""
        pid = _descend(self.group, self._wrappers) if self.pid is None else None
        if pid is None:
            return False
        try:
            pidfd = os.pidfd_open(pid)
        except ProcessLookupError:
            return False
        # Compared after it was opened: now it cannot become another process any more.
        if _descend(self.group, self._wrappers) != pid:
            os.close(pidfd)
            return False
        self.pid, self._pidfd = pid, pidfd
        return True

    def signal(self, number: signal.Signals) -> None:
        """Signal the whole group, or with SIGTERM the program alone if it is in wrappers."""
        try:
            # A wrapper that ends takes the program down before it could put its things in order.
            if number == signal.SIGTERM and self._wrappers and self._pidfd >= 0:
                signal.pidfd_send_signal(self._pidfd, number)
            else:
                os.killpg(self.group, number)
        except ProcessLookupError:
            return


def _open_log(name: str) -> int:
    return os.open(name, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o600)


def _memory_file(content: bytes) -> int:
    fd = os.memfd_create("papercup")
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _become(
    spec: dict[str, Any],
    environment: dict[str, str],
    files: dict[int, int],
    runner: int,
    cgroups: list[str],
) -> NoReturn:
    """Turn this forked process into the program."""
    command = spec["command"]
    try:
        os.setsid()
        for target, fd in files.items():
            os.dup2(fd, target)
        for folder in cgroups:
            _join(folder)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != runner:
            os._exit(1)
        os.chdir(spec["cwd"])
        for name, value in spec["limits"].items():
            _lower_limit(getattr(resource, name), value)
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.execvpe(command[0], command, environment)  # noqa: S606 - no shell is wanted
    except (OSError, ValueError) as error:
        os.write(2, f"cannot start {command[0]}: {error}\n".encode())
    finally:
        os._exit(127)


def _join(cgroup: str) -> None:
    fd = os.open(f"{cgroup}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
    os.write(fd, b"0")
    os.close(fd)


def _lower_limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    # Above what is inherited it would be refused.
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def _descend(pid: int, generations: int) -> int | None:
    for _ in range(generations):
        descendants = children(pid)
        if not descendants:
            return None
        pid = descendants[0]
    return pid


def children(pid: int) -> list[int]:
    """Return the processes whose parent is `pid`, the oldest first."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:  # noqa: PTH123 - pathlib is large
            return [int(word) for word in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []
