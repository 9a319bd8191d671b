"""What a plugin's whole folder hashes to, so that nothing in it changes unnoticed.

The names, the contents, which files are executable and where links lead all count. Left out is
the plugin's own `.git` alone: git writes there even when nothing is changed. Nothing else in the
folder may lead into it.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_FILES = 20_000
"""Of a plugin, folders and links included."""
MOST_BYTES = 500_000_000
"""Of all of its files together."""
LEFT_OUT = ".git"
"""What of the folder itself does not count."""

_READ_BYTES = 1 << 20
_FOLDER, _FILE, _PROGRAM, _LINK = b"d", b"f", b"x", b"l"


@dataclass(frozen=True, slots=True)
class TreeHash:
    """What a folder hashes to."""

    text: str
    """As `sha256:` and 64 hexadecimal digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BadTree:
    """A folder that nobody can vouch for."""

    path: str
    """What in it is to blame, from the folder."""
    reason: str
    """The end of a sentence that begins with the path."""

    def __str__(self) -> str:
        return f"{self.path} {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeLimits:
    """How large a folder may be, and what of it is taken as it is."""

    files: int = MOST_FILES
    bytes: int = MOST_BYTES
    left_out: str = LEFT_OUT
    """What of the folder itself does not count."""
    may_lead_out: Callable[[str], bool] = lambda _path: False
    """Says of which links it counts alone where they lead, also if that is out of the folder."""


def hash_tree(folder: Path, limits: TreeLimits | None = None) -> TreeHash | BadTree:
    """Return what a folder hashes to, or why it cannot be vouched for. It may take seconds."""
    try:
        root = folder.resolve(strict=True)
        return _Hashing(root, limits or TreeLimits()).result()
    except _BadTreeError as error:
        return error.finding
    except OSError as error:
        path = os.path.relpath(os.fsdecode(error.filename or folder), folder)
        return BadTree(path=_shown(path), reason=f"cannot be read ({error.strerror or error})")


def is_vouched_for(path: Path, folder: Path, left_out: str = LEFT_OUT) -> bool:
    """Say whether what stands at a path, links followed, is part of what a folder hashes to."""
    # Not Path.resolve(): it raises where links lead in a circle.
    root, real = Path(os.path.realpath(folder)), Path(os.path.realpath(path))
    return real.is_relative_to(root) and not real.is_relative_to(root / left_out)


class _BadTreeError(Exception):
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.finding = BadTree(path=_shown(path), reason=reason)


class _Hashing:
    def __init__(self, root: Path, limits: TreeLimits) -> None:
        self._root = root
        self._limits = limits
        self._files = 0
        self._bytes = 0
        self._hash = hashlib.sha256()

    def result(self) -> TreeHash:
        for path, entry in sorted(self._entries(), key=lambda one: os.fsencode(one[0])):
            self._take(path, entry)
        return TreeHash(f"sha256:{self._hash.hexdigest()}")

    def _entries(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        folders = [""]
        while folders:
            inner = folders.pop()
            with os.scandir(self._root / inner) as entries:
                for entry in entries:
                    path = f"{inner}/{entry.name}" if inner else entry.name
                    if path == self._limits.left_out:
                        continue
                    self._count(path)
                    yield path, entry
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(path)

    def _count(self, path: str) -> None:
        self._files += 1
        if self._files > self._limits.files:
            raise _BadTreeError(path, f"is one file too many: {self._limits.files} are the most")

    def _take(self, path: str, entry: os.DirEntry[str]) -> None:
        if entry.is_symlink():
            self._add(_LINK, path, os.fsencode(self._target(path)))
        elif entry.is_dir(follow_symlinks=False):
            self._add(_FOLDER, path, b"")
        elif entry.is_file(follow_symlinks=False):
            self._take_file(path)
        else:
            raise _BadTreeError(path, "is neither a file nor a folder nor a link")

    def _target(self, path: str) -> str:
        is_inner = is_vouched_for(self._root / path, self._root, self._limits.left_out)
        if not is_inner and not self._limits.may_lead_out(path):
            raise _BadTreeError(path, "is a link that leads out of the plugin's folder")
        return os.readlink(self._root / path)  # noqa: PTH115 - the text, not a path made of it

    def _take_file(self, path: str) -> None:
        # It may have been exchanged since it was listed: for a link, or for a pipe to wait on.
        fd = os.open(self._root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb", buffering=0) as file:  # noqa: PTH123 - it is open already
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                raise _BadTreeError(path, "is not a file any more")
            content = hashlib.sha256()
            while piece := file.read(_READ_BYTES):
                self._count_bytes(path, len(piece))
                content.update(piece)
        kind = _PROGRAM if status.st_mode & 0o111 else _FILE
        self._add(kind, path, content.digest())

    def _count_bytes(self, path: str, size: int) -> None:
        self._bytes += size
        if self._bytes > self._limits.bytes:
            most = self._limits.bytes // 1_000_000
            raise _BadTreeError(path, f"makes the plugin larger than {most} MB")

    def _add(self, kind: bytes, path: str, content: bytes) -> None:
        for part in (kind, os.fsencode(path), content):
            # With its length before it, no part can pass for another.
            self._hash.update(len(part).to_bytes(8, "big"))
            self._hash.update(part)


def _shown(path: str) -> str:
    """Return a path as one line; names may hold anything."""
    return path.encode("utf-8", "replace").decode() if path.isprintable() else ascii(path)
