"""The files that a job has left in its folder, read so that the job cannot fool the reader.

A job may leave links to other files, pipes that nobody feeds, devices and files without end. Only
regular files that stand in its own folder are read, each opened without following a link and
judged by what was opened.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_MOST_ENTRIES = 10_000
_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules"})


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFile:
    """One file of a job."""

    path: str
    """Relative to the job's folder."""
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFiles:
    """What there is to fetch of a job."""

    files: tuple[JobFile, ...]
    left_out: tuple[str, ...]
    """Paths of what was not taken, because there were too many, or it was too large."""


def read_job_files(folder: Path, *, most_files: int, most_bytes: int) -> JobFiles:
    """Read the files of a job, in the order of their paths; hidden ones are passed over.

    Args:
        folder: The job's folder.
        most_files: How many are taken at most.
        most_bytes: How large they may be together.
    """
    files: list[JobFile] = []
    left_out: list[str] = []
    bytes_left = most_bytes
    for path, directory in _regular_files(folder):
        content = None
        if len(files) < most_files:
            content = _read(os.path.basename(path), directory, bytes_left)  # noqa: PTH119 - a string
        if content is None:
            left_out.append(path)
            continue
        bytes_left -= len(content)
        files.append(JobFile(path=path, content=content))
    return JobFiles(files=tuple(files), left_out=tuple(left_out))


def _regular_files(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield each regular file's path, and an open descriptor of the folder that it stands in."""
    entries = 0
    for root, folders, names, directory in os.fwalk(folder, follow_symlinks=False):
        folders[:] = sorted(f for f in folders if f not in _SKIPPED_FOLDERS and f[0] != ".")
        for name in sorted(names):
            entries += 1
            if entries > _MOST_ENTRIES:
                return
            if name[0] != "." and _is_regular(name, directory):
                yield os.path.relpath(os.path.join(root, name), folder), directory  # noqa: PTH118 - strings


def _is_regular(name: str, directory: int) -> bool:
    try:
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode)


def _read(name: str, directory: int, most_bytes: int) -> bytes | None:
    try:
        # Not blocking: between the look and the opening it may have become a pipe.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(name, flags, dir_fd=directory)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > most_bytes:
            return None
        content = file.read(most_bytes + 1)  # it may grow meanwhile
    return content if len(content) <= most_bytes else None
