"""Stands before `claude`: notes when it is told something, and passes that on.

Run as `python tap.py LOG CLAUDE ARGUMENTS…`; needs the standard library alone. `claude` takes the
place of this process, with its own stdout and stderr; only its stdin comes through here.
"""

import os
import sys
import time
from pathlib import Path

_READ_BYTES = 65536
_FIRST_FILE = 3
_MESSAGE = b'"type":"user"'


def main() -> None:
    """Become `claude`, with a process before it that passes on what it is told."""
    log, claude, *arguments = sys.argv[1:]
    read_end, write_end = os.pipe()
    if os.fork():
        os.dup2(read_end, 0)
        os.closerange(read_end, write_end + 1)
        os.execv(claude, [claude, *arguments])  # noqa: S606 - no shell is wanted
    _pass_on(_keep_alone(write_end), Path(log))


def _keep_alone(fd: int) -> int:
    """Close all files but stdin and `fd`, and return the number that `fd` has then.

    Else whoever reads what `claude` prints would not see its end when `claude` has ended. What is
    printed may go through more files than 1 and 2: not every event loop closes its own.
    """
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    kept = os.dup2(fd, _FIRST_FILE)
    os.closerange(_FIRST_FILE + 1, os.sysconf("SC_OPEN_MAX"))
    return kept


def _pass_on(target: int, log: Path) -> None:
    with log.open("a") as file:
        while data := os.read(0, _READ_BYTES):
            at = time.monotonic()
            os.write(target, data)
            if _MESSAGE in data.replace(b" ", b""):
                file.write(f"{at:.6f}\n")
                file.flush()


if __name__ == "__main__":
    main()
