"""Unix sockets whose path may be of any length."""

import asyncio
import os
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_LONGEST_ADDRESS_BYTES = 107
_LINE_LIMIT_BYTES = 64 * 1024


@contextmanager
def short_socket_path(path: Path) -> Generator[str]:
    """Give an address for `path` that fits into a socket's, for as long as the block lasts.

    Raises:
        OSError: If the folder that `path` lies in cannot be opened.
    """
    if len(os.fsencode(path)) <= _LONGEST_ADDRESS_BYTES:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def bound_unix_socket(path: Path) -> socket.socket:
    """Return a socket that listens at `path`, for its owner alone.

    What was there before is replaced; from then on it is reached by nobody new.

    Raises:
        OSError: If it cannot listen there.
    """
    listener = socket.socket(socket.AF_UNIX)
    try:
        # The file takes its mode from the descriptor: so it is never open to others.
        os.fchmod(listener.fileno(), 0o600)
        path.unlink(missing_ok=True)
        with short_socket_path(path) as address:
            listener.bind(address)
        listener.listen()
        listener.setblocking(False)  # noqa: FBT003 - it takes no names
    except BaseException:
        listener.close()
        raise
    return listener


async def open_unix(
    path: Path, *, line_limit_bytes: int = _LINE_LIMIT_BYTES
) -> tuple[StreamReader, StreamWriter]:
    """Connect to the socket at `path`.

    Raises:
        OSError: If nobody listens there.
    """
    with short_socket_path(path) as address:
        return await asyncio.open_unix_connection(address, limit=line_limit_bytes)
