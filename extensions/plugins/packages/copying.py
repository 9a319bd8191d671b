"""Copies the folder of a plugin."""

import os
import stat
from pathlib import Path, PurePosixPath

from extensions.plugins.packages.entries import Entries, EntryLimits, bad_entry
from extensions.plugins.packages.errors import BadPackageError
from extensions.plugins.packages.progress import Stage, Tell
from extensions.plugins.packages.writing import TreeWriter
from extensions.plugins.tree_hash import is_vouched_for

LEFT_BEHIND = frozenset({".git", ".hg", ".venv"})
"""What of a plugin's folder is its author's alone."""
LEFT_BEHIND_EVERYWHERE = frozenset({"__pycache__"})


def copy_tree(source: Path, folder: Path, *, tell: Tell) -> None:
    """Copy a folder into an empty one; links within it stay links.

    Raises:
        BadPackageError: If it cannot be read, or holds what cannot be taken.
    """
    try:
        root = source.resolve(strict=True)
        _Copying(root, TreeWriter(folder, Entries(EntryLimits()), tell, Stage.COPYING)).run()
    except OSError as error:
        if error.filename is not None and not _is_in(os.fsdecode(error.filename), source):
            # It is not the source that is to blame: the disk is full, say.
            raise
        raise BadPackageError(f"{source} cannot be read: {error.strerror or error}") from error


class _Copying:
    def __init__(self, root: Path, writer: TreeWriter) -> None:
        self._root = root
        self._writer = writer

    def run(self) -> None:
        folders = [""]
        while folders:
            inner = folders.pop()
            with os.scandir(self._root / inner) as entries:
                for entry in sorted(entries, key=lambda each: each.name):
                    name = f"{inner}/{entry.name}" if inner else entry.name
                    if name in LEFT_BEHIND or entry.name in LEFT_BEHIND_EVERYWHERE:
                        continue
                    if self._take(entry, name):
                        folders.append(name)

    def _take(self, entry: os.DirEntry[str], name: str) -> bool:
        """Take an entry, and say whether there may be more in it."""
        is_folder = entry.is_dir(follow_symlinks=False)
        mode = 0 if is_folder else entry.stat(follow_symlinks=False).st_mode
        path = self._writer.entries.take(name, is_folder=is_folder, mode=mode)
        assert path is not None
        if is_folder:
            self._writer.add_folder(path)
        elif entry.is_symlink():
            self._writer.add_link(path, self._target(name))
        elif entry.is_file(follow_symlinks=False):
            self._take_file(path, name)
        else:
            raise bad_entry(name, "is neither a file nor a folder nor a link")
        return is_folder

    def _target(self, name: str) -> str:
        place = self._root / name
        target = os.readlink(place)  # noqa: PTH115 - the text, not a path made of it
        # One that is absolute leads to the folder that is copied, not to the copy.
        if target.startswith("/") or not is_vouched_for(place, self._root):
            raise bad_entry(name, "is a link that leads out of the plugin's folder")
        return target

    def _take_file(self, path: PurePosixPath, name: str) -> None:
        # It may have been exchanged since it was listed: for a link, or for a pipe to wait on.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        fd = os.open(self._root / name, flags)
        with open(fd, "rb", buffering=0) as file:  # noqa: PTH123 - it is open already
            mode = os.fstat(fd).st_mode
            if not stat.S_ISREG(mode):
                raise bad_entry(name, "is not a file any more")
            self._writer.add_file(path, name, file.read, mode=mode)


def _is_in(path: str, folder: Path) -> bool:
    return Path(path).is_relative_to(folder) or Path(path).is_relative_to(os.path.realpath(folder))
