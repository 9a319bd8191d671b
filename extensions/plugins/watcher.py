"""Sees when manifests change while the bot runs."""

import asyncio
import hashlib
import logging
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

# One of its arguments has a type of a package that need not be there.
from watchfiles import Change, awatch  # pyright: ignore[reportUnknownVariableType]

from extensions.plugins.manifest_reading import MANIFEST_NAMES, SIDECAR_NAMES
from extensions.plugins.search import Search, SearchOptions, SearchRoot

Changed: TypeAlias = Callable[[Collection[Path]], Awaitable[None]]
"""Called with the manifests that are new, other than they were, or gone."""

_NAMES = frozenset((*MANIFEST_NAMES, *SIDECAR_NAMES))
_LOOK_AGAIN_SECONDS = 5.0
"""How often it is looked whether a root has come, or is another folder than it was."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions:
    """How manifests are watched."""

    debounce_seconds: float = 0.5
    """What changes within that time is told at once."""
    look_again_seconds: float = _LOOK_AGAIN_SECONDS
    search: SearchOptions = SearchOptions()  # noqa: RUF009 - frozen


@asynccontextmanager
async def watching(
    roots: Sequence[SearchRoot], options: WatchOptions, changed: Changed
) -> AsyncGenerator[None, None]:
    """Have `changed` called while the block lasts whenever the text of manifests has changed.

    That a file was written again with the same text is no change. Roots may be missing, and come.
    """
    # It tells of each change, with every path.
    logging.getLogger("watchfiles").setLevel(logging.WARNING)
    watcher = _Watcher(roots, options, changed)
    await watcher.look()
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(watcher.run())
        try:
            yield
        finally:
            task.cancel()


class _Watcher:
    def __init__(
        self, roots: Sequence[SearchRoot], options: WatchOptions, changed: Changed
    ) -> None:
        self._roots = roots
        self._options = options
        self._changed = changed
        self._known: Mapping[str, str] = {}
        self._watched: Collection[str] = ()
        self._has_to_poll = False

    async def look(self) -> None:
        """Take note of the manifests as they are now."""
        self._known = await asyncio.to_thread(self._digests)

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            present = await asyncio.to_thread(self._present)
            self._watched = present
            if not present:
                await self._compare()
                await asyncio.sleep(self._options.look_again_seconds)
                continue
            try:
                await self._watch(present)
            except (OSError, RuntimeError) as error:
                # There are only so many of the system's watches, and others take some as well.
                logger.warning("plugin manifests are looked at from time to time: %s", error)
                self._has_to_poll = True
                await asyncio.sleep(self._options.look_again_seconds)

    async def _watch(self, present: Mapping[str, tuple[int, int]]) -> None:
        """Watch the roots that are there, until one comes, goes or is exchanged."""
        # What came between the last look and the first watch is seen here.
        await self._compare()
        milliseconds = max(1, round(self._options.debounce_seconds * 1000))
        changes = awatch(
            *present,
            watch_filter=self._matters,
            debounce=milliseconds,
            step=milliseconds,
            rust_timeout=round(self._options.look_again_seconds * 1000),
            yield_on_timeout=True,
            force_polling=self._has_to_poll or None,
            ignore_permission_denied=True,
        )
        async for change in changes:
            if change:
                await self._compare()
            if await asyncio.to_thread(self._present) != present:
                return

    async def _compare(self) -> None:
        now = await asyncio.to_thread(self._digests)
        before, self._known = self._known, now
        paths = [path for path in sorted({*before, *now}) if before.get(path) != now.get(path)]
        if not paths:
            return
        for path in paths:
            what = "is new" if path not in before else "has changed" if path in now else "is gone"
            logger.info("plugin manifest %s %s", path, what)
        try:
            await self._changed([Path(path) for path in paths])
        except Exception:
            logger.exception("what follows from changed plugin manifests failed")

    def _matters(self, change: Change, path: str) -> bool:
        """Say whether it is worth looking through the roots again."""
        *folders, name = Path(self._within_root(path)).parts or ("",)
        if not self._options.search.ignored_names.isdisjoint(folders):
            return False
        if name in _NAMES:
            return True
        # Of folders that come or go as a whole no more is told than that.
        match change:
            case Change.added:
                return os.path.isdir(path)  # noqa: PTH112 - a text, of many
            case Change.deleted:
                return any(known.startswith(path + os.sep) for known in self._known)
            case Change.modified:
                return False

    def _within_root(self, path: str) -> str:
        for root in self._watched:
            if path.startswith(root + os.sep):
                return path.removeprefix(root + os.sep)
        return ""

    def _digests(self) -> dict[str, str]:
        search = Search(self._options.search)
        found = (
            f"{folder.real_path}{os.sep}{name}"
            for folder in search.folders(self._roots)
            for name in folder.names
        )
        return {path: _digest(path) for path in found}

    def _present(self) -> dict[str, tuple[int, int]]:
        present: dict[str, tuple[int, int]] = {}
        for root in self._roots:
            try:
                status = root.path.stat()
            except OSError:
                continue
            present[os.path.realpath(root.path)] = (status.st_dev, status.st_ino)
        return present


def _digest(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return str(error)
