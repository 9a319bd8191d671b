"""Carries out one run: starts its program, records how it ends, and needs nobody meanwhile.

Usage: runner/__main__.py CONTROL_FOLDER, with one JSON object of secrets on stdin.

It returns when the program was started (0), or says on stderr why it was not (1); the run goes on
in the background, whatever becomes of who started it. In CONTROL_FOLDER:

    spec.json    what to run (read)
    lock         locked (flock) for as long as the run goes on: the only sign of life to trust
    runner.json  who runs
    out.jsonl    what the program printed;  err.log  its errors;  runner.log  this program's own
    ctl.sock     takes one line {"version": 1, "verb": "cancel" | "send" | "close", "line": ...}
                 a connection, and answers one line {"version": 1, "ok": ..., "error": ...}
    exit.json    how it ended; written whole, once every process of the run is gone

The program's output goes straight to a file, so that nothing is lost and nobody is waited for. Its
stdin is closed after a line of type `result` with which no turn is left in its queue.
"""

import ctypes
import fcntl
import json
import os
import sys
import time

# At the end: this folder may lie beside packages that bear a standard module's name.
sys.path.append(os.path.abspath(__file__ + "/../../../.."))  # noqa: PTH100 - pathlib is large

from extensions.programs.runner.run import Run

_PR_SET_CHILD_SUBREAPER = 36
_LOCK_TRIES, _LOCK_WAIT_SECONDS = 20, 0.05


def main() -> None:
    """Read the folder and the secrets; leave a process behind that carries out the run."""
    os.chdir(sys.argv[1])
    os.umask(0o077)
    secrets = json.load(sys.stdin)
    is_ready, ready = os.pipe()
    if os.fork():
        os.close(ready)
        os._exit(0 if os.read(is_ready, 1) else 1)
    os.setsid()
    # What loses its parent comes to this process, which can then end it.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _lock()
    with open("spec.json") as file:  # noqa: PTH123 - pathlib is large
        run = Run(json.load(file), secrets)
    _detach(ready)
    run.carry_on()


def _lock() -> None:
    """Lock the control folder until this process ends."""
    fd = os.open("lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    for _ in range(_LOCK_TRIES):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Who looks whether a run is alive holds it for a moment.
            time.sleep(_LOCK_WAIT_SECONDS)
        else:
            return
    sys.exit("another runner has this run")


def _detach(ready: int) -> None:
    """Let go of who started this process, and tell the waiting one that the run is on."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.write(ready, b"1")
    os.close(ready)


if __name__ == "__main__":
    main()
