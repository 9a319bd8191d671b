"""A child that misbehaves in the way that its argument names. Standard library alone."""

import json
import os
import signal
import subprocess
import sys
import time


def tell(**params: object) -> None:
    line = json.dumps({"jsonrpc": "2.0", "method": "told", "params": params}).encode() + b"\n"
    os.write(1, line)


def deaf() -> None:
    """Read nothing."""
    tell(pid=os.getpid())
    time.sleep(60)


def slow() -> None:
    """Read little at a time, and answer only once it has read a whole line."""
    line = b""
    while data := os.read(0, 4096):
        line += data
        time.sleep(0.0005)
        while b"\n" in line:
            first, _, line = line.partition(b"\n")
            frame = json.loads(first)
            if "id" in frame:
                answer = {"jsonrpc": "2.0", "id": frame["id"], "result": len(first)}
                os.write(1, json.dumps(answer).encode() + b"\n")


def garbage() -> None:
    """Write lines that are no messages, for ever."""
    while True:
        os.write(1, b"g" * 4095 + b"\n")


def complaints() -> None:
    """Write to standard error, for ever."""
    while True:
        os.write(2, b"e" * 4095 + b"\n")


def endless() -> None:
    """Write one line, for ever."""
    while True:
        os.write(1, b"x" * 65536)


def requests() -> None:
    """Ask, for ever, and read no answer."""
    number = 0
    while True:
        number += 1
        os.write(1, b'{"jsonrpc":"2.0","id":%d,"method":"wait"}\n' % number)


def daemon() -> None:
    """Leave the pipes to a grandchild in a session of its own, and end."""
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    tell(pid=os.getpid())
    time.sleep(60)


def family() -> None:
    """Start ten children, one in a session of its own, and ignore all that asks to end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pids = [
        subprocess.Popen(["/bin/sleep", "60"], start_new_session=number == 0).pid
        for number in range(10)
    ]
    tell(pids=pids)
    time.sleep(60)


def greedy() -> None:
    """Take much memory, and keep it."""
    kept = bytearray(200_000_000)
    tell(size=len(kept))
    time.sleep(60)


def busy() -> None:
    """Compute for ever."""
    while True:
        pass


globals()[sys.argv[1]]()
