"""Searches folders for manifests."""

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from extensions.plugins.manifest import Diagnostic, Level, Scope
from extensions.plugins.manifest_reading import MANIFEST_NAMES, SIDECAR_NAMES
from extensions.plugins.manifest_values import shown

ESCAPES = "manifest path escapes search root via symlink"
_MANIFESTS = frozenset(MANIFEST_NAMES)
_NAMES = _MANIFESTS | frozenset(SIDECAR_NAMES)
_NAME = attrgetter("name")
_MAX_FOLDERS = 200_000
"""Beyond that a root is taken for a mistake: a whole disk, say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRoot:
    """A folder that is searched."""

    path: Path
    """As it is configured; people are shown what was found from here."""
    scope: Scope
    project: Path | None = None
    """Whose it is; of the scope `PROJECT` alone."""
    has_children_only: bool = False
    """Whether plugins are its immediate folders alone, be they links or not."""
    is_optional: bool = False
    """Whether it may be missing."""
    is_plugin: bool = False
    """Whether it is the folder of a plugin itself, and no other is looked into."""

    def depth(self, usual: int) -> int:
        """Return how deep it is searched, if others are so deep."""
        if self.is_plugin:
            return 1
        return 2 if self.has_children_only else usual


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How folders are searched."""

    ignored_names: frozenset[str] = frozenset()
    max_depth: int = 4
    """A manifest in the root itself is at the depth 1."""
    follow_links: bool = False
    off_limits: Collection[Path] = ()
    """Folders in which jobs write: nothing in them is searched, nothing around them is a plugin."""


@dataclass(frozen=True, slots=True)
class FoundFolder:
    """A folder with at least one file that may be a manifest."""

    root: SearchRoot
    root_index: int
    shown_path: str
    """From the root as it is configured."""
    real_path: str
    names: frozenset[str]
    """Of the files that may be manifests, or stand beside one."""


class _Level(NamedTuple):
    """A folder that is to be looked into."""

    shown_path: str
    real_path: str
    depth: int
    """Of the files in it; those in the root are at 1."""


@dataclass(slots=True)
class Search:
    """One search through several roots."""

    options: SearchOptions
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    _off_limits: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self._off_limits = frozenset(os.path.realpath(path) for path in self.options.off_limits)

    def folders(self, roots: Sequence[SearchRoot]) -> Iterator[FoundFolder]:
        """Yield the folders with manifests, root by root, each sorted by name."""
        for index, root in enumerate(roots):
            real = self._real_root(root)
            if real is not None:
                yield from self._search(root, index, real)

    def add(self, level: Level, path: str | Path, message: str) -> None:
        """Take note of something amiss."""
        self.diagnostics.append(Diagnostic(path=shown_path(path), message=message, level=level))

    def is_around_jobs(self, folder: str) -> bool:
        """Say whether folders in which jobs write are in that one."""
        return any(_is_within(path, folder) for path in self._off_limits)

    def _real_root(self, root: SearchRoot) -> str | None:
        try:
            real = os.path.realpath(root.path, strict=True)
            with os.scandir(real):
                pass
        except (OSError, ValueError) as error:
            if not (root.is_optional and isinstance(error, FileNotFoundError)):
                message = f"search path not found or unreadable: {_reason(error)}"
                self.add(Level.WARN, root.path, message)
            return None
        if self._is_off_limits(real):
            self.add(Level.ERROR, root.path, "search path is one in which jobs write")
            return None
        return real

    def _search(self, root: SearchRoot, index: int, real_root: str) -> Iterator[FoundFolder]:
        stack = [_Level(str(root.path), real_root, 1)]
        # By way of links a folder could be met again and again.
        seen: set[str] = set()
        while stack:
            level = stack.pop()
            if level.real_path in seen:
                continue
            seen.add(level.real_path)
            if len(seen) > _MAX_FOLDERS:
                message = f"search path holds more than {_MAX_FOLDERS} folders; the rest is left"
                self.add(Level.ERROR, root.path, message)
                return
            entries = self._entries(level)
            is_above = root.has_children_only and level.depth == 1
            names = () if is_above else tuple(self._manifests(entries, level, real_root))
            if not _MANIFESTS.isdisjoint(names):
                yield FoundFolder(root, index, *level[:2], frozenset(names))
            if level.depth < root.depth(self.options.max_depth):
                stack += self._inner(root, entries, level, real_root)

    def _entries(self, level: _Level) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(level.real_path) as entries:
                return sorted(entries, key=_NAME, reverse=True)
        except OSError as error:
            self.add(Level.WARN, level.shown_path, f"walk error: {_reason(error)}")
            return []

    def _manifests(
        self, entries: list[os.DirEntry[str]], level: _Level, real_root: str
    ) -> Iterator[str]:
        for entry in entries:
            if entry.name not in _NAMES:
                continue
            if not entry.is_symlink():
                if entry.is_file():
                    yield entry.name
            elif self._is_inside(entry, level, real_root):
                yield entry.name

    def _is_inside(self, entry: os.DirEntry[str], level: _Level, real_root: str) -> bool:
        path = f"{level.shown_path}/{entry.name}"
        try:
            real = os.path.realpath(entry.path, strict=True)
            if not entry.is_file():
                return False
        except OSError as error:
            self.add(Level.ERROR, path, f"failed to canonicalize manifest: {_reason(error)}")
            return False
        if not _is_within(real, real_root):
            self.add(Level.ERROR, path, ESCAPES)
            return False
        return True

    def _inner(
        self, root: SearchRoot, entries: list[os.DirEntry[str]], level: _Level, real_root: str
    ) -> Iterator[_Level]:
        depth = level.depth + 1
        for entry in entries:
            name = entry.name
            if entry.is_symlink():
                if name not in self.options.ignored_names and name not in _NAMES:
                    yield from self._linked(root, entry, level, real_root)
            # Reached from above: what lies within a folder that is off limits is never met.
            elif (
                entry.is_dir()
                and name not in self.options.ignored_names
                and entry.path not in self._off_limits
            ):
                yield _Level(f"{level.shown_path}/{name}", entry.path, depth)

    def _linked(
        self, root: SearchRoot, entry: os.DirEntry[str], level: _Level, real_root: str
    ) -> Iterator[_Level]:
        shown_as = f"{level.shown_path}/{entry.name}"
        is_followed = self.options.follow_links or root.has_children_only
        try:
            real = os.path.realpath(entry.path, strict=True)
            if not entry.is_dir():
                return
        except OSError as error:
            if is_followed:
                self.add(Level.WARN, shown_as, f"walk error: {_reason(error)}")
            return
        if not _is_within(real, real_root):
            self._note_escape(shown_as, real)
        elif is_followed and not self._is_off_limits(real):
            yield _Level(shown_as, real, level.depth + 1)

    def _note_escape(self, shown_as: str, real: str) -> None:
        manifests = [name for name in MANIFEST_NAMES if Path(real, name).is_file()]
        if manifests:
            self.add(Level.ERROR, f"{shown_as}/{manifests[0]}", ESCAPES)

    def _is_off_limits(self, real: str) -> bool:
        return any(_is_within(real, path) for path in self._off_limits)


def shown_path(path: str | Path) -> str:
    """Return a path as it can stand in a diagnostic, on one line."""
    text = str(path)
    return text if text.isprintable() else shown(text)


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _reason(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) else None
    return text or str(error)
