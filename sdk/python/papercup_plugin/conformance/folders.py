"""What stands in a plugin's folder, and what has changed in it."""

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TypeAlias

_MOST_FILES = 20_000

Snapshot: TypeAlias = Mapping[str, tuple[int, int]]
"""The size and the time of the last change of each file, by its path within the folder."""


def snapshot(folder: Path) -> Snapshot:
    """Return what stands in a folder; of very many files, a part."""
    return dict(islice(_files(folder), _MOST_FILES))


def changes(before: Snapshot, after: Snapshot) -> list[str]:
    """Return the files that are new, gone or another."""
    return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))


def _files(folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    for root, folders, names in os.walk(folder):
        # In the same order each time: of very many, the same ones are looked at.
        folders.sort()
        for name in sorted(names):
            path = Path(root, name)
            try:
                status = path.lstat()
            except OSError:
                continue
            yield str(path.relative_to(folder)), (status.st_size, status.st_mtime_ns)
