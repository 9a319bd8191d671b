"""Reads and writes what is kept of installed plugins."""

import os
import stat
from pathlib import Path

from extensions.disk import write_atomically
from extensions.plugins.packages.errors import PackagesFileError
from extensions.plugins.packages.packages_file import (
    FILE_NAME,
    Packages,
    packages_of_text,
    text_of_packages,
)

_MOST_BYTES = 4 * 1024 * 1024


def read_packages(root: Path) -> Packages:
    """Return what is kept of the plugins in a folder; nothing if nothing was installed there.

    Raises:
        PackagesFileError: If it cannot be read.
    """
    path = root / FILE_NAME
    try:
        content = _content(path)
        return packages_of_text(content.decode())
    except FileNotFoundError:
        return Packages()
    except OSError as error:
        raise PackagesFileError(path, f"cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        why = " ".join(str(error).split())
        raise PackagesFileError(path, f"is not as `papercup plugin` writes it: {why}") from error


def _content(path: Path) -> bytes:
    # Whoever wrote a project may have put a pipe there, which would be waited on for ever.
    with open(path, "rb", opener=_opened) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is no file")
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ValueError("it is too long")
    return content


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def write_packages(root: Path, packages: Packages) -> None:
    """Keep that of the plugins in a folder: all of it, or nothing new.

    Raises:
        PackagesFileError: If it cannot be written.
    """
    path = root / FILE_NAME
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(path, text_of_packages(packages).encode())
    except OSError as error:
        raise PackagesFileError(path, f"cannot be written: {error.strerror or error}") from error
