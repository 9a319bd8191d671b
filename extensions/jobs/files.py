"""The files that a job or a speaker has in its folder, read so that it cannot fool the reader.

It may leave links to other files, pipes that nobody feeds, devices and files without end. Only
regular files that stand in its own folder are read, each opened without following a link and
judged by what was opened.
"""

import os
import re
import stat
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

_MOST_ENTRIES = 10_000
_MOST_DEPTH = 20
_LONGEST_NAME = 100
_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules"})
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_UNFIT = re.compile(r"[^\w.,+@=-]")


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
    """Read the files of a job, those that stand higher first; hidden ones are passed over.

    Args:
        folder: The job's folder; one that is not there holds nothing.
        most_files: How many are taken at most.
        most_bytes: How large they may be together.
    """
    files: list[JobFile] = []
    left_out: list[str] = []
    bytes_left = most_bytes
    for path in _regular_files(folder):
        shown = "/".join(_fit(part) for part in path.split("/"))
        content = _read(folder, path, bytes_left) if len(files) < most_files else None
        if content is None:
            left_out.append(shown)
            continue
        bytes_left -= len(content)
        files.append(JobFile(path=shown, content=content))
    return JobFiles(files=tuple(files), left_out=tuple(left_out))


@dataclass(frozen=True, slots=True)
class NotRead:
    """A file that is not read."""

    reason: str
    """A sentence for whoever named it."""


def read_own_file(folder: Path, path: str, *, most_bytes: int) -> bytes | NotRead:
    """Read one file that somebody named, if it stands in `folder` itself.

    Args:
        folder: The folder of whoever named it; absolute.
        path: Where the file is, seen from the folder; or the whole path, through the folder.
        most_bytes: How large it may be.
    """
    inside = _inside(folder, path)
    if isinstance(inside, NotRead):
        return inside
    try:
        with _opened(folder, inside, 0) as descriptor:
            return _content_of(descriptor, most_bytes)
    except FileNotFoundError:
        return NO_SUCH_FILE
    except (OSError, ValueError):  # a link, a file where a folder should be, a name without end
        return NOT_OWN


def _inside(folder: Path, path: str) -> str | NotRead:
    named = PurePosixPath(path)
    if named.is_absolute():
        if not named.is_relative_to(folder):
            return NOT_OWN
        named = named.relative_to(folder)
    if ".." in named.parts:
        return NOT_OWN
    return str(named)


def _content_of(descriptor: int, most_bytes: int) -> bytes | NotRead:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        return NOT_A_FILE
    with os.fdopen(os.dup(descriptor), "rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) <= most_bytes:
        return content
    return NotRead(
        f"the file has {max(found.st_size, len(content)):,} bytes, and may have {most_bytes:,}"
    )


NO_SUCH_FILE = NotRead("there is no such file in your folder")
NOT_OWN = NotRead("only files that stand in your own folder can be named, and no links")
NOT_A_FILE = NotRead("that is no regular file")


def _fit(name: str) -> str:
    """Return a name that can be shown and sent: a job may call its files anything."""
    return _UNFIT.sub("_", name)[:_LONGEST_NAME]


def _regular_files(folder: Path) -> Iterator[str]:
    """Yield the path of each regular file, relative to `folder`; only so many entries are seen."""
    waiting = deque([("", 0)])
    entries = 0
    while waiting:
        inside, depth = waiting.popleft()
        for entry in _entries(folder, inside):
            entries += 1
            if entries > _MOST_ENTRIES:
                return
            path = f"{inside}/{entry.name}" if inside else entry.name
            if entry.is_dir(follow_symlinks=False):
                if depth < _MOST_DEPTH and entry.name not in _SKIPPED_FOLDERS:
                    waiting.append((path, depth + 1))
            elif entry.is_file(follow_symlinks=False):
                yield path


def _entries(folder: Path, inside: str) -> list[os.DirEntry[str]]:
    try:
        with _opened(folder, inside, os.O_DIRECTORY) as directory, os.scandir(directory) as found:
            few = islice((entry for entry in found if entry.name[0] != "."), _MOST_ENTRIES)
            return sorted(few, key=lambda entry: entry.name)
    except OSError:  # it is gone, or has become a link
        return []


def _read(folder: Path, path: str, most_bytes: int) -> bytes | None:
    try:
        with _opened(folder, path, 0) as descriptor:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_size > most_bytes:
                return None
            with os.fdopen(os.dup(descriptor), "rb") as file:
                content = file.read(most_bytes + 1)  # it may grow meanwhile
    except OSError:
        return None
    return content if len(content) <= most_bytes else None


@contextmanager
def _opened(folder: Path, path: str, kind: int) -> Generator[int, None, None]:
    """Open what stands at `path` in `folder`, step by step, so that no step follows a link."""
    descriptor = os.open(folder, _OPEN | os.O_DIRECTORY)
    try:
        parts = [part for part in path.split("/") if part]
        for number, part in enumerate(parts, start=1):
            is_last = number == len(parts)
            step = os.open(part, _OPEN | (kind if is_last else os.O_DIRECTORY), dir_fd=descriptor)
            os.close(descriptor)
            descriptor = step
        yield descriptor
    finally:
        os.close(descriptor)
