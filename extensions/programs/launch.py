"""Becomes another program that dies with its parent and stays within limits.

Usage: launch.py PARENT_PID ERROR_FD [RLIMIT_NAME=VALUE | NUMBER=FD | DEATH=KILL ...] -- COMMAND
    [ARGUMENT ...]

The command is sent SIGTERM, or with DEATH=KILL SIGKILL, when the thread that started this program
ends. If the command cannot be started, its error number is written to ERROR_FD; else that
descriptor closes. Of all others it keeps the first three, and each FD under its NUMBER.
"""

# Each plugin and each speaker waits for this program: signal and ctypes would take as long to load
# as Python takes to start, so the C library is called by what ctypes is made of.
import _ctypes
import fcntl
import os
import resource
import sys

_PR_SET_PDEATHSIG = 1
_SIGKILL, _SIGPIPE, _SIGTERM, _SIGXFSZ = 9, 13, 15, 25
_SIG_DFL = 0
_FREE_FROM = 128
"""No number that a descriptor is to have is that high."""


def main() -> None:
    """Read the arguments, and become the command."""
    end = sys.argv.index("--")
    parent_pid, error_fd = int(sys.argv[1]), int(sys.argv[2])
    items = dict(item.split("=", 1) for item in sys.argv[3:end])
    command = sys.argv[end + 1 :]
    death = _SIGKILL if items.pop("DEATH", "") == "KILL" else _SIGTERM
    _call("prctl", _PR_SET_PDEATHSIG, death, 0, 0, 0)
    # The parent may have died before the line above, and then nothing would be sent.
    if os.getppid() != parent_pid:
        sys.exit(1)
    error_fd = _put_in_place({int(n): int(fd) for n, fd in items.items() if n.isdigit()}, error_fd)
    for name, value in items.items():
        if not name.isdigit():
            _limit(getattr(resource, name), int(value))
    # Python ignores both, and what a program ignores stays ignored in the next one.
    _call("signal", _SIGPIPE, _SIG_DFL)
    _call("signal", _SIGXFSZ, _SIG_DFL)
    try:
        os.execvpe(command[0], command, _first_environment())  # noqa: S606 - no shell is wanted
    except OSError as error:
        os.write(error_fd, str(error.errno).encode())
        sys.exit(127)


def _call(name: str, *arguments: int) -> None:
    """Call a function of the C library."""
    # None stands for this program itself, in which the C library is.
    itself = _ctypes.dlopen(None, os.RTLD_NOW)  # type: ignore[arg-type]  # the stub forgot it
    _ctypes.call_function(_ctypes.dlsym(itself, name), arguments)


def _put_in_place(files: "dict[int, int]", error_fd: int) -> int:
    """Give descriptors their numbers, close all others, and return where that for errors is now."""
    # Out of the way first: one may have a number that another is to have.
    moved = {
        number: fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FREE_FROM) for number, fd in files.items()
    }
    moved_error_fd = fcntl.fcntl(error_fd, fcntl.F_DUPFD_CLOEXEC, _FREE_FROM)
    for number, fd in moved.items():
        os.dup2(fd, number)
    # Some event loops leave copies of the three above 2; a pipe that stays open never ends.
    begin = 3
    for kept in sorted([*files, moved_error_fd]):
        os.closerange(begin, kept)
        begin = kept + 1
    os.closerange(begin, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    return moved_error_fd


def _limit(kind: int, value: int) -> None:
    """Lower a limit; never above what is inherited, which would be refused."""
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    soft = value
    if kind == resource.RLIMIT_CPU:
        # At the first it is told by SIGXCPU, at the second killed: so one sees what it was.
        value = soft + 1 if hard == resource.RLIM_INFINITY else min(soft + 1, hard)
    resource.setrlimit(kind, (soft, value))


def _first_environment() -> dict[bytes, bytes]:
    """Return the environment as it was given: Python adds LC_CTYPE to its own."""
    with open("/proc/self/environ", "rb") as file:  # noqa: PTH123 - pathlib is slow to load
        items = file.read().split(b"\0")
    return dict(item.split(b"=", 1) for item in items if b"=" in item)


if __name__ == "__main__":
    main()
