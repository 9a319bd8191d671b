"""Copies the folder of a plugin."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path, PurePosixPath

from extensions.plugins.packages.entries import MOST_ENTRIES, Entries, EntryLimits, bad_entry
from extensions.plugins.packages.progress import Stage, Tell
from extensions.plugins.packages.writing import TreeWriter
from extensions.plugins.tree_hash import is_vouched_for

LEFT_BEHIND = frozenset({".git", ".hg", ".venv"})
"""What of a plugin's folder is its author's alone."""
LEFT_BEHIND_EVERYWHERE = frozenset({"__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"})
"""What tools leave behind."""


_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# It may have been exchanged since it was listed: for a link, or for a pipe to wait on.
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def copy_tree(source: Path, folder: Path, *, tell: Tell) -> None:
    """Copy a folder into an empty one; links within it stay links.

    Raises:
        BadPackageError: If it cannot be read, or holds what cannot be taken.
    """
    with _blamed(str(source)):
        root = source.resolve(strict=True)
        opened = os.open(root, _FOLDER_FLAGS)
    try:
        writer = TreeWriter(folder, Entries(EntryLimits()), tell, Stage.COPYING)
        _Copying(root, writer).copy(opened, "")
    finally:
        os.close(opened)


class _Copying:
    """Goes from folder to folder by what is open: their names may mean others by now."""

    def __init__(self, root: Path, writer: TreeWriter) -> None:
        self._root = root
        self._writer = writer

    def copy(self, folder: int, inner: str) -> None:
        """Copy what stands in a folder that is open, and is called `inner` from the root."""
        with _blamed(inner or str(self._root)), os.scandir(folder) as found:
            entries = sorted(islice(found, MOST_ENTRIES + 1), key=lambda each: each.name)
        for entry in entries:
            name = f"{inner}/{entry.name}" if inner else entry.name
            if name not in LEFT_BEHIND and entry.name not in LEFT_BEHIND_EVERYWHERE:
                self._take(folder, entry, name)

    def _take(self, folder: int, entry: os.DirEntry[str], name: str) -> None:
        is_folder = entry.is_dir(follow_symlinks=False)
        with _blamed(name):
            mode = 0 if is_folder else entry.stat(follow_symlinks=False).st_mode
        path = self._writer.entries.take(name, is_folder=is_folder, mode=mode)
        assert path is not None
        if is_folder:
            self._writer.add_folder(path)
            self._take_folder(folder, entry.name, name)
        elif entry.is_symlink():
            self._writer.add_link(path, self._target(folder, entry.name, name))
        elif entry.is_file(follow_symlinks=False):
            self._take_file(folder, entry.name, path, name)
        else:
            raise bad_entry(name, "is neither a file nor a folder nor a link")

    def _target(self, folder: int, last: str, name: str) -> str:
        with _blamed(name):
            target = os.readlink(last, dir_fd=folder)
        # One that is absolute leads to the folder that is copied, not to the copy.
        if target.startswith("/") or not is_vouched_for(self._root / name, self._root):
            raise bad_entry(name, "is a link that leads out of the plugin's folder")
        return target

    def _take_folder(self, folder: int, last: str, name: str) -> None:
        with _blamed(name):
            opened = os.open(last, _FOLDER_FLAGS, dir_fd=folder)
        try:
            self.copy(opened, name)
        finally:
            os.close(opened)

    def _take_file(self, folder: int, last: str, path: PurePosixPath, name: str) -> None:
        with _blamed(name):
            fd = os.open(last, _FILE_FLAGS, dir_fd=folder)
        with open(fd, "rb", buffering=0) as file:  # noqa: PTH123 - it is open already
            mode = os.fstat(fd).st_mode
            if not stat.S_ISREG(mode):
                raise bad_entry(name, "is not a file any more")

            def read(size: int) -> bytes:
                with _blamed(name):
                    return file.read(size)

            self._writer.add_file(path, name, read, mode=mode)


@contextmanager
def _blamed(name: str) -> Generator[None]:
    """Say that it is the source that cannot be read; whatever else fails is not its fault."""
    try:
        yield
    except OSError as error:
        raise bad_entry(name, f"cannot be read: {error.strerror or error}") from error
