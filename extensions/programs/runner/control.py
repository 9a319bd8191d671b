"""The files and the socket through which others learn of a run and reach it."""

from __future__ import annotations

import json
import os
import socket
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Not at run time: many runners run at once, and the module is large.
    from collections.abc import Callable
    from typing import Any

VERSION = 1
_SOCKET = "ctl.sock"
_RECORD_BYTES = 4096
_REQUEST_BYTES, _REQUEST_SECONDS = 4 << 20, 1.0


class ControlSocket:
    """Takes requests, one a connection."""

    def __init__(self) -> None:
        if os.path.lexists(_SOCKET):
            os.unlink(_SOCKET)  # noqa: PTH108 - pathlib is large
        self._listener = socket.socket(socket.AF_UNIX)
        # Relative to the control folder, whose whole path may be too long for a socket.
        self._listener.bind(_SOCKET)
        self._listener.listen(8)
        self._listener.setblocking(False)  # noqa: FBT003 - it takes no names

    def fileno(self) -> int:
        """Return the descriptor that is readable when a request waits."""
        return self._listener.fileno()

    def serve(self, obey: Callable[[dict[str, Any]], str | None]) -> None:
        """Answer one request; `obey` carries it out, or returns why not."""
        try:
            connection, _ = self._listener.accept()
            with connection:
                connection.settimeout(_REQUEST_SECONDS)
                request = _read_request(connection)
                error = obey(request) if request else f"only version {VERSION} is understood"
                answer = {"version": VERSION, "ok": error is None, "error": error}
                connection.sendall(json.dumps(answer).encode() + b"\n")
        except OSError as error:
            print("a request was not answered:", error, file=sys.stderr, flush=True)  # noqa: T201

    def close(self) -> None:
        """Take no more requests."""
        self._listener.close()
        os.unlink(_SOCKET)  # noqa: PTH108 - pathlib is large


def _read_request(connection: socket.socket) -> dict[str, Any] | None:
    """Return the request of this connection, if it is one of our version."""
    data = b""
    while not data.endswith(b"\n") and len(data) < _REQUEST_BYTES:
        chunk = connection.recv(1 << 16)
        if not chunk:
            break
        data += chunk
    try:
        request: dict[str, Any] | None = json.loads(data)
    except ValueError:
        return None
    return request if isinstance(request, dict) and request.get("version") == VERSION else None


def reserve(name: str) -> None:
    """Take the room that writing this file will need, as the disk may be full by then."""
    fd = os.open(name + ".tmp", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(fd, 0, _RECORD_BYTES)
    finally:
        os.close(fd)


def write_whole(name: str, record: dict[str, Any]) -> None:
    """Write a file so that it is there whole, even after a crash, or not at all."""
    data = json.dumps({"version": VERSION} | record).encode()
    # Not emptied when it is opened: that would give away the room that was reserved.
    fd = os.open(name + ".tmp", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        written = 0
        while written < len(data):
            written += os.pwrite(fd, data[written:], written)
        os.ftruncate(fd, len(data))
        os.fsync(fd)
    finally:
        os.close(fd)
    os.replace(name + ".tmp", name)  # noqa: PTH105 - pathlib is large
    folder = os.open(".", os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
