"""Reads and writes what is kept of installed plugins."""

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
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES)
        return packages_of_text(content.decode())
    except FileNotFoundError:
        return Packages()
    except OSError as error:
        raise PackagesFileError(path, f"cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        why = " ".join(str(error).split())
        raise PackagesFileError(path, f"is not as `papercup plugin` writes it: {why}") from error


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
