"""Writes the files of a plugin, as what they are taken for and nothing else."""

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from extensions.plugins.packages.entries import Entries
from extensions.plugins.packages.progress import Progress, Stage, Tell

_CHUNK_BYTES = 1 << 18
_TOLD_EVERY = 64
_PLAIN, _PROGRAM = 0o644, 0o755
_ANY_EXECUTES = 0o111


class TreeWriter:
    """Writes into one folder, which has to be empty at first."""

    def __init__(self, folder: Path, entries: Entries, tell: Tell, stage: Stage) -> None:
        self.entries = entries
        self._folder = folder
        self._tell = tell
        self._stage = stage
        self._count = 0

    def add_folder(self, path: PurePosixPath) -> None:
        """Make a folder, unless it is there."""
        (self._folder / path).mkdir(parents=True, exist_ok=True)
        self._count_one()

    def add_file(
        self, path: PurePosixPath, name: str, read: Callable[[int], bytes], *, mode: int
    ) -> None:
        """Write a file.

        Args:
            path: Where, from the folder.
            name: As whoever made it calls it.
            read: Returns at most so many bytes more of it.
            mode: Of which it counts alone whether anybody may execute it.
        """
        target = self._folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        allowed = _PROGRAM if mode & _ANY_EXECUTES else _PLAIN
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(target, flags, allowed), "wb") as file:  # noqa: PTH123 - a descriptor
            while chunk := read(_CHUNK_BYTES):
                self.entries.take_bytes(name, len(chunk))
                file.write(chunk)
        target.chmod(allowed)
        self._count_one()

    def add_link(self, path: PurePosixPath, target: str) -> None:
        """Make a link."""
        place = self._folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)
        self._count_one()

    def _count_one(self) -> None:
        self._count += 1
        if self._count % _TOLD_EVERY == 1:
            self._tell(Progress(self._stage, self._count))
