"""Which files of an archive, or of a folder, can be taken, and how many. Pure.

Whoever made an archive may want to write elsewhere, or to fill the disk. So each entry is held
against those before it, and what is wrong is refused by its name.
"""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import PurePosixPath

from extensions.plugins.packages.errors import BadPackageError
from extensions.plugins.tree_hash import LEFT_OUT

MOST_ENTRIES = 20_000
"""Files and folders."""
MOST_BYTES = 200 * 1024 * 1024
"""Of all files together."""
MOST_GROWTH = 100
"""How many times as large as its archive all may be: what people write shrinks to a tenth."""
ALWAYS_FINE_BYTES = 10 * 1024 * 1024
"""Up to here it may be any number of times as large."""
MOST_DEPTH = 64
"""How many folders may stand within each other: each costs time and room, though it is empty."""

_MOST_CHARACTERS = 1024
_MOST_NAME_BYTES = 255
_DRIVE = re.compile(r"[A-Za-z]:")
_SET_ID = 0o6000


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryLimits:
    """How much can be taken."""

    entries: int = MOST_ENTRIES
    bytes: int = MOST_BYTES

    def of_archive(self, packed_bytes: int) -> "EntryLimits":
        """Return those for what an archive of that size holds."""
        most = max(ALWAYS_FINE_BYTES, packed_bytes * MOST_GROWTH)
        return EntryLimits(entries=self.entries, bytes=min(self.bytes, most))


class Entries:
    """What was taken so far."""

    def __init__(self, limits: EntryLimits, *, strips_root: bool = False) -> None:
        """Begin with nothing.

        Args:
            limits: How much can be taken.
            strips_root: Whether all stands in one folder, which does not count.
        """
        self._limits = limits
        self._strips_root = strips_root
        self._root: str | None = None
        self._count = 0
        self._bytes = 0
        self._names: dict[str, str] = {}
        """How each path is written, by what file systems that ignore case take it for."""
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def take(self, name: str, *, is_folder: bool, mode: int = 0) -> PurePosixPath | None:
        """Return where an entry belongs; `None`: it is the folder that does not count.

        Raises:
            BadPackageError: If it cannot be taken.
        """
        self._count_one(name)
        if mode & _SET_ID:
            raise bad_entry(name, "would run as another user (setuid or setgid)")
        parts = self._below_root(name, _parts(name), is_folder=is_folder)
        if not parts:
            return None
        if parts[0] == LEFT_OUT:
            raise bad_entry(name, f"stands in {LEFT_OUT}, for which no trust vouches")
        self._note(name, parts, is_folder=is_folder)
        return PurePosixPath(*parts)

    def take_bytes(self, name: str, count: int) -> None:
        """Take so many bytes more.

        Raises:
            BadPackageError: If that is too much.
        """
        self._bytes += count
        if self._bytes > self._limits.bytes:
            raise bad_entry(name, f"makes it too large: {size_limit_words(self._limits.bytes)}")

    def _count_one(self, name: str) -> None:
        self._count += 1
        if self._count > self._limits.entries:
            most = self._limits.entries
            raise bad_entry(name, f"is one entry too many: {most} are the most")

    def _below_root(self, name: str, parts: list[str], *, is_folder: bool) -> list[str]:
        if not self._strips_root:
            return parts
        self._root = self._root or parts[0]
        if parts[0] != self._root or (len(parts) == 1 and not is_folder):
            raise bad_entry(name, "stands outside of the folder in which all should stand")
        return parts[1:]

    def _note(self, name: str, parts: list[str], *, is_folder: bool) -> None:
        *above, last = (self._key(name, parts[:length]) for length in range(1, len(parts) + 1))
        for key in above:
            if key in self._files:
                raise bad_entry(name, "stands within a file")
            if key not in self._folders:
                # It is made, though no entry says so.
                self._count_one(name)
                self._folders.add(key)
        if last in (self._files if is_folder else self._folders):
            raise bad_entry(name, "is a file and a folder")
        if not is_folder and last in self._files:
            raise bad_entry(name, "is there twice")
        (self._folders if is_folder else self._files).add(last)

    def _key(self, name: str, parts: list[str]) -> str:
        """Return what file systems that ignore case take a path for."""
        path = "/".join(parts)
        # Small letters may be written in more than one way, too.
        key = _normal(_normal(path).casefold())
        known = self._names.setdefault(key, path)
        if known != path:
            raise bad_entry(name, f"differs from {shown_name(known)} by its spelling alone")
        return key


def _normal(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def bad_entry(name: str, why: str) -> BadPackageError:
    """Return the error that an entry cannot be taken."""
    return BadPackageError(f"{shown_name(name)} {why}")


def shown_name(name: str) -> str:
    """Return the name of an entry so that it can stand on one line; it may hold anything."""
    cut = name if len(name) <= _MOST_CHARACTERS else name[:_MOST_CHARACTERS] + "…"
    return cut if cut.isprintable() and cut else ascii(cut)


def size_limit_words(most_bytes: int) -> str:
    """Return how large it may be, the end of a sentence."""
    return f"{most_bytes // (1024 * 1024)} MiB are the most"


def _parts(name: str) -> list[str]:
    """Return the folders on the way to an entry, and its own name.

    Raises:
        BadPackageError: If it leads elsewhere, or nobody could call a file that.
    """
    if name.startswith("/") or "\\" in name or _DRIVE.match(name):
        raise bad_entry(name, "leads out of the plugin's folder")
    parts = [part for part in name.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise bad_entry(name, "leads out of the plugin's folder")
    if not parts or not name.isprintable() or len(name) > _MOST_CHARACTERS:
        raise bad_entry(name, "is no name of a file")
    if any(len(part.encode()) > _MOST_NAME_BYTES for part in parts):
        raise bad_entry(name, "is no name of a file: it is too long")
    if len(parts) > MOST_DEPTH:
        raise bad_entry(name, f"stands in too many folders: {MOST_DEPTH} are the most")
    return parts
