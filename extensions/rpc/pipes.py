"""The pipes to and from a child, read and written on the event loop.

They are read and written directly and not by the event loop's transports: that takes half the time
for each message, and lets one stop reading, or know what waits, in the same way on every loop.
"""

import asyncio
import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

_READ_BYTES = 64 * 1024
"""Not more: the memory for more is asked from the system each time, which takes longer than all
else."""
_READS_AT_ONCE = 4
_LARGE_BYTES = 64 * 1024
_GROWN_PIPE_BYTES = 256 * 1024
"""Not more: a user has 64 MiB for all of his pipes; then new ones become tiny."""


class ReadPipe:
    """Hands on what comes out of a pipe, until it closes."""

    def __init__(
        self,
        file: BinaryIO,
        *,
        received: Callable[[bytes], None],
        closed: Callable[[], None],
        resumed: Callable[[], None] | None = None,
    ) -> None:
        """Begin to read.

        Args:
            file: The pipe; it is closed by this.
            received: Called with what came.
            resumed: Called when a pause is over, before anything is read.
            closed: Called once the other side has closed it; not if `close` has.
        """
        self._loop = asyncio.get_running_loop()
        self._file = file
        self._fd = file.fileno()
        self._received = received
        self._closed = closed
        self._resumed = resumed
        self._resume_timer: asyncio.TimerHandle | None = None
        self._is_grown = False
        os.set_blocking(self._fd, False)
        self._loop.add_reader(self._fd, self._on_readable)

    def pause(self, seconds: float) -> None:
        """Read nothing for that long: whoever writes has to wait. Harmless once it is closed."""
        if self._file.closed or self._resume_timer is not None:
            return
        self._loop.remove_reader(self._fd)  # harmless if it is not there
        self._resume_timer = self._loop.call_later(seconds, self._resume)

    def drain(self) -> None:
        """Hand on what is in the pipe by now."""
        if self._file.closed:
            return
        left = _capacity(self._fd)
        while left > 0 and (data := self._read()):
            left -= len(data)
            self._received(data)

    def close(self) -> None:
        """Read no more."""
        if self._file.closed:
            return
        if self._resume_timer is not None:
            self._resume_timer.cancel()
        self._loop.remove_reader(self._fd)
        self._file.close()

    def _on_readable(self) -> None:
        for _ in range(_READS_AT_ONCE):
            data = self._read()
            if data is None:
                return
            if not data:
                self.close()
                self._closed()
                return
            self._received(data)
            if len(data) < _READ_BYTES or self._file.closed or self._resume_timer is not None:
                return
        if not self._is_grown:
            self._is_grown = True
            _grow(self._fd)

    def _read(self) -> bytes | None:
        """Return what is there; nothing if it is closed, `None` if nothing is there now."""
        try:
            return os.read(self._fd, _READ_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def _resume(self) -> None:
        self._resume_timer = None
        if self._resumed is not None:
            self._resumed()
        # It may have become closed, or another pause.
        if not self._file.closed and self._resume_timer is None:
            self._loop.add_reader(self._fd, self._on_readable)


class WritePipe:
    """Writes lines to a pipe, whole and in their order; what it does not take yet waits here."""

    def __init__(
        self, file: BinaryIO, *, drained: Callable[[], None], closed: Callable[[], None]
    ) -> None:
        """Get ready to write.

        Args:
            file: The pipe; it is closed by this.
            drained: Called when all that waited is written.
            closed: Called once the other side has closed it; not if `close` has.
        """
        self._loop = asyncio.get_running_loop()
        self._file = file
        self._fd = file.fileno()
        self._drained = drained
        self._closed = closed
        # Not a list of lines: each may take many times its length, as it was written in more room.
        self._waiting = bytearray()
        self._is_flush_due = False
        self._is_full = False
        self._closes_when_empty = False
        self._is_grown = False
        os.set_blocking(self._fd, False)
        # Nothing can be read from it: it only becomes so when the other side closes it.
        self._loop.add_reader(self._fd, self._on_closed)

    @property
    def waiting_bytes(self) -> int:
        """How much waits here."""
        return len(self._waiting)

    def write(self, line: bytes) -> None:
        """Write a line at once, as far as the pipe takes it."""
        if self._waiting or self._closes_when_empty or self._file.closed:
            self.write_soon(line)
            return
        written = self._write(line)
        if written is not None and written < len(line):
            self._waiting += memoryview(line)[written:]
            self._wait_for_room()

    def write_soon(self, line: bytes) -> None:
        """Write a line together with others that come in this round of the event loop."""
        if self._file.closed or self._closes_when_empty:
            return
        self._waiting += line
        if not self._is_flush_due and not self._is_full:
            self._is_flush_due = True
            self._loop.call_soon(self._flush)

    def close_when_empty(self) -> None:
        """Take no more lines, and close it once those that wait are written."""
        self._closes_when_empty = True
        if not self._waiting:
            self.close()

    def close(self) -> None:
        """Close it; what waits is lost."""
        if self._file.closed:
            return
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)
        self._waiting.clear()
        self._file.close()

    def _flush(self) -> None:
        self._is_flush_due = False
        if not self._waiting:
            return
        written = self._write(self._waiting)
        if written is None:
            return
        del self._waiting[:written]
        if self._waiting:
            self._wait_for_room()
        else:
            self._on_empty()

    def _write(self, data: bytes | bytearray) -> int | None:
        """Return how much the pipe has taken; `None` if it is closed."""
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            return 0
        except OSError:
            self._on_closed()
            return None

    def _on_empty(self) -> None:
        if self._is_full:
            self._is_full = False
            self._loop.remove_writer(self._fd)
        if self._closes_when_empty:
            self.close()
        else:
            self._drained()

    def _wait_for_room(self) -> None:
        if not self._is_grown and len(self._waiting) > _LARGE_BYTES:
            self._is_grown = True
            _grow(self._fd)
        if not self._is_full:
            self._is_full = True
            self._loop.add_writer(self._fd, self._flush)

    def _on_closed(self) -> None:
        if not self._file.closed:
            self.close()
            self._closed()


def _capacity(fd: int) -> int:
    return fcntl.fcntl(fd, fcntl.F_GETPIPE_SZ)


def _grow(fd: int) -> None:
    """Make room for large messages: with the usual 64 KiB, each takes many turns."""
    with suppress(OSError):
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _GROWN_PIPE_BYTES)
