"""Talks with a plugin over its pipes, so that nothing but the plugin takes the time."""

import itertools
import json
import os
import subprocess
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from benchmarks.plugins.house import HouseStuckError
from benchmarks.plugins.loads import WARM_UP_CALLS, Load, Rates
from extensions.process.interpreter import base_python

_MOST_SECONDS = 60.0
"""How long all that is done with one child may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """One way in which a plugin is written."""

    name: str
    file: Path
    packages: Path | None
    """Where what it imports is; `None`: the standard library is enough."""
    greeting: Mapping[str, Any]
    """The parameters of `initialize`."""
    call: tuple[str, str]
    """The method that uses a tool, and how the parameter is called that names it."""

    def rates(self, loads: Sequence[Load]) -> Rates:
        """Start the plugin, have it called, and return how fast that went."""
        with talking(self) as talk:
            return {load.name: _rate(talk, load) for load in loads}

    def environment(self) -> dict[str, str]:
        """Return what the plugin finds in its environment."""
        found = {} if self.packages is None else {"PYTHONPATH": str(self.packages)}
        return {"PATH": os.defpath} | found


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What a process takes, in MB."""

    resident_mb: float
    own_mb: float
    """What no other process shares with it."""


class Talk:
    """A plugin that is ready."""

    def __init__(self, maker: Maker, child: "subprocess.Popen[bytes]") -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        self._maker = maker
        self._pid = child.pid
        self._stdin: IO[bytes] = child.stdin
        self._stdout: IO[bytes] = child.stdout
        self._numbers = itertools.count(1)
        self.ready_seconds = 0.0
        """From its start until it has answered the handshake."""

    def shake_hands(self, began: float) -> None:
        """Greet it, and wait until it is ready."""
        self._send("initialize", self._maker.greeting)
        self.wait()
        self.ready_seconds = time.perf_counter() - began
        # Without it the `mcp` package answers nothing; the others leave it alone.
        self._write({"method": "notifications/initialized"})

    def begin(self, text: str) -> None:
        """Have it echo a text."""
        method, key = self._maker.call
        self._send(method, {key: "echo", "arguments": {"text": text}})

    def wait(self) -> None:
        """Wait for an answer."""
        line = self._stdout.readline()
        if b'"result"' not in line:
            raise HouseStuckError(f"{self._maker.name} answered {line[:200]!r}")

    def memory(self) -> Memory:
        """Return what it takes now."""
        told = Path(f"/proc/{self._pid}/smaps_rollup").read_text(encoding="utf-8")
        lines = (line.split() for line in told.splitlines()[1:])
        sizes_mb = {name: int(size) / 1024 for name, size, *_ in lines}
        own_mb = sizes_mb["Private_Clean:"] + sizes_mb["Private_Dirty:"]
        return Memory(resident_mb=sizes_mb["Rss:"], own_mb=own_mb)

    def _send(self, method: str, params: Mapping[str, Any]) -> None:
        self._write({"id": next(self._numbers), "method": method, "params": params})

    def _write(self, message: dict[str, Any]) -> None:
        self._stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._stdin.flush()


@contextmanager
def talking(maker: Maker, **environment: str) -> Generator[Talk, None, None]:
    """Start a plugin, shake hands with it, and end it."""
    # What else is installed on the machine is not looked for: it counts for none of them.
    command = [str(base_python()), "-S", "-P", str(maker.file)]
    began = time.perf_counter()
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=maker.environment() | environment,
    ) as child:
        # Whoever waits for it is woken by its end.
        overdue = threading.Timer(_MOST_SECONDS, child.kill)
        overdue.start()
        try:
            talk = Talk(maker, child)
            talk.shake_hands(began)
            yield talk
        finally:
            overdue.cancel()
            child.kill()


def _rate(talk: Talk, load: Load) -> float:
    text = "x" * load.text_bytes
    for _ in range(WARM_UP_CALLS if load.text_bytes < 1000 else 2):  # noqa: PLR2004 - large ones
        talk.begin(text)
        talk.wait()
    count = 0
    began = time.perf_counter()
    for _ in range(load.in_flight):
        talk.begin(text)
    while time.perf_counter() < began + load.seconds:
        talk.wait()
        talk.begin(text)
        count += 1
    for _ in range(load.in_flight):
        talk.wait()
    return (count + load.in_flight) / (time.perf_counter() - began)
