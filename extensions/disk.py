"""Files that are written whole or not at all, and what a full disk looks like."""

import errno
import os
import sqlite3
from pathlib import Path

_SMALL_FILE_BYTES = 16 * 1024
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` into a file that only its owner can read: whole, or not at all.

    Raises:
        OSError: If it cannot be written; the file is then what it was before.
    """
    temporary = path.with_name(path.name + ".tmp")
    # Not what stands there: it may be a pipe to wait on, or a file that has another name as well.
    temporary.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(temporary, flags, 0o600), "wb") as file:  # noqa: PTH123 - a descriptor
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        # On a full disk even the part that was written is in the way.
        if temporary.is_file():
            temporary.unlink()
        raise
    move_for_good(temporary, path)


def move_for_good(source: Path, target: Path) -> None:
    """Put a file in the place of another one in the same folder, so that it stays there.

    Raises:
        OSError: If that is not possible.
    """
    source.replace(target)
    sync(target.parent)


def sync(path: Path) -> None:
    """Return once a file's content, or the names in a folder, are on the disk.

    Raises:
        OSError: If the disk refuses.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def has_room(folder: Path) -> bool:
    """Say whether a small file could be written to a folder; also if nobody can tell."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return True
    return found.f_bavail * found.f_frsize >= _SMALL_FILE_BYTES


def is_disk_full(error: BaseException) -> bool:
    """Say whether a write failed because there was no room, or no more is allowed."""
    if isinstance(error, sqlite3.Error):
        # Errors that the module raises by itself have no code.
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return isinstance(error, OSError) and error.errno in _NO_ROOM
