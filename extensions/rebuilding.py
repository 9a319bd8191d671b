"""Opens the database whatever has become of its files: what is damaged is set aside and rebuilt."""

import asyncio
import logging
import shutil
import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from extensions.backups import backups_of
from extensions.database import Database, open_database
from extensions.disk import move_for_good, sync, write_atomically
from extensions.errors import DatabaseDamagedError, DatabaseError
from extensions.wal import wal_damage

logger = logging.getLogger(__name__)

_PARTS = ("", "-wal", "-shm")


class Recover(Protocol):
    """Brings a database up to date from elsewhere."""

    async def __call__(self, database: Database, *, is_damaged: bool) -> None:
        """Do so, knowing whether something of it is lost, as far as it can tell itself."""
        ...


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of one database."""

    path: Path

    @property
    def marker(self) -> Path:
        """Is there while something is lost that has not been recovered."""
        return self._beside(".rebuilding")

    @property
    def unfinished(self) -> Path:
        """The new database, until it is whole."""
        return self._beside(".rebuilding.db")

    def part(self, suffix: str) -> Path:
        """Return one of the files that SQLite makes of a database."""
        return self._beside(suffix)

    def aside(self, at: float) -> Path:
        """Return a new name for what is damaged."""
        base = self._beside(f".damaged-{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H-%M-%SZ}")
        names = (base, *(base.with_name(f"{base.name}-{number}") for number in range(2, 1000)))
        return next(name for name in names if not any(_all_parts_of(name)))

    def _beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)


def _all_parts_of(path: Path) -> list[Path]:
    parts = [path.with_name(path.name + suffix) for suffix in _PARTS]
    return [part for part in parts if part.exists()]


@asynccontextmanager
async def open_database_or_rebuild(
    path: Path, migrations: Sequence[str], *, recover: Recover, clock: Callable[[], float]
) -> AsyncGenerator[Database, None]:
    """Open the database at `path` as `open_database` does; if it is damaged, rebuild it first.

    What is damaged is kept beside it as `<name>.damaged-<time>`. The newest good backup takes its
    place, or an empty database where there is none. If the program ends before all is recovered,
    the next one goes on with it.

    Args:
        path: The file.
        migrations: SQL scripts; the first N have been applied when `user_version` is N.
        recover: Brings it up to date, before anything else uses it; called at each opening.
        clock: Gives Unix time, in seconds.

    Raises:
        DatabaseError: If it cannot be opened, or not be rebuilt, for want of room perhaps.
    """
    files = _Files(path)
    async with AsyncExitStack() as stack:
        try:
            await asyncio.to_thread(_mend_before_opening, files, clock())
            try:
                database = await stack.enter_async_context(open_database(path, migrations))
            except DatabaseDamagedError as error:
                await asyncio.to_thread(_replace, files, error.reason, clock())
                database = await stack.enter_async_context(open_database(path, migrations))
            await recover(database, is_damaged=files.marker.exists())
            await asyncio.to_thread(files.marker.unlink, missing_ok=True)
        except (sqlite3.Error, OSError) as error:
            raise DatabaseError(str(path), str(error)) from error
        yield database


def _mend_before_opening(files: _Files, at: float) -> None:
    """Mend what SQLite would pass over in silence."""
    # First of all: whoever opens the database removes a journal that makes no sense.
    if (finding := wal_damage(files.part("-wal"))) is not None:
        aside = files.aside(at)
        _mark(files)
        files.part("-wal").replace(aside.with_name(aside.name + "-wal"))
        logger.error(
            "the journal of the database %s is damaged (%s) and kept as %s-wal: its last changes"
            " are lost, and taken from extensions.json and the folders of the runs where they can",
            files.path,
            finding,
            aside.name,
        )
    if backups_of(files.path) and _is_blank(files.path):
        _replace(files, "what was in it is gone", at)


def _is_blank(path: Path) -> bool:
    """Say whether the database is missing, or has nothing in it, not even tables."""
    if not path.exists():
        return True
    try:
        with closing(sqlite3.connect(path)) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.Error:
        # Whoever opens it in earnest finds out what is wrong.
        return False
    return (version, tables) == (0, 0)


def _replace(files: _Files, reason: str, at: float) -> None:
    """Set the damaged database aside, and put the newest good backup in its place."""
    backup = next((b for b in backups_of(files.path) if _is_good(b)), None)
    files.unfinished.unlink(missing_ok=True)
    if backup is not None:
        # Before anything is moved: if there is no room, everything stays as it is.
        files.unfinished.touch(mode=0o600)
        shutil.copyfile(backup, files.unfinished)
        sync(files.unfinished)
    _mark(files)
    aside = files.aside(at)
    for suffix in _PARTS:
        if (part := files.part(suffix)).exists():
            part.replace(aside.with_name(aside.name + suffix))
    if backup is not None:
        move_for_good(files.unfinished, files.path)
    logger.error(
        "the database %s cannot be used: %s. It is kept as %s; %s takes its place, and is brought"
        " up to date from extensions.json and the folders of the runs",
        files.path,
        reason,
        aside.name,
        "an empty one" if backup is None else f"the backup {backup.name}",
    )


def _mark(files: _Files) -> None:
    write_atomically(files.marker, b"Something of the database is lost, and not recovered yet.\n")


def _is_good(backup: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{backup.as_uri()}?mode=ro", uri=True)) as connection:
            (finding,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error as error:
        logger.warning("the backup %s cannot be used, either: %s", backup.name, error)
        return False
    if finding != "ok" or version <= 0:
        logger.warning("the backup %s is damaged, too: %s", backup.name, finding)
        return False
    return True
