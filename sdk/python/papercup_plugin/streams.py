"""The plugin's own standard streams, over which it talks with the host."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any

from papercup_plugin.framing import LineReader
from papercup_plugin.records import Record
from papercup_plugin.serving import Serving

if TYPE_CHECKING:
    from papercup_plugin.declared import Declared

_READ_BYTES = 65536


class Streams(Record):
    """What the host reads and writes."""

    source: int
    sink: int


def taken_over() -> Streams:
    """Keep the standard streams for the host, and return them.

    What is printed goes to the standard error from now on, and so does what other programs print
    that are started; nobody else reads the standard input.
    """
    streams = Streams(os.dup(0), os.dup(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    # Only now: what was printed while the plugin was imported is not for the host either.
    printed: Any = sys.stdout
    printed.flush()
    if hasattr(printed, "reconfigure"):
        printed.reconfigure(line_buffering=True)
    return streams


def serve(declared: Declared, streams: Streams) -> None:
    """Serve the host until it says farewell, or is gone."""
    serving = Serving(declared, _Writer(streams.sink).write)
    pump = _Pump(streams.source, serving)
    pump.run()
    if serving.is_ending:
        # What is still to be done may ask the host, whose answers somebody has to read.
        threading.Thread(target=pump.run, args=(True,), daemon=True).start()
    serving.finish()


class _Writer:
    def __init__(self, sink: int) -> None:
        self._sink = sink
        self._lock = threading.Lock()

    def write(self, line: bytes) -> None:
        """Write a whole line, wherever it is called."""
        left = memoryview(line)
        with self._lock:
            try:
                while left:
                    left = left[os.write(self._sink, left) :]
            except BrokenPipeError:
                # The host is gone, which the standard input tells, too.
                return


class _Pump:
    """Hands on what the host writes."""

    def __init__(self, source: int, serving: Serving) -> None:
        self._source = source
        self._serving = serving
        self._lines = LineReader()

    def run(self, to_the_end: bool = False) -> None:  # noqa: FBT001, FBT002 - of a thread
        """Read until the plugin shall end, or to the end."""
        while to_the_end or not self._serving.is_ending:
            data = os.read(self._source, _READ_BYTES)
            if not data:
                # Nobody answers any more: whoever waits is told so.
                self._serving.link.close()
                return
            for line in self._lines.feed(data):
                self._serving.take(line)
