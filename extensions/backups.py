"""Copies of the database, one a day, beside it."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from extensions.database import is_damage
from extensions.disk import is_disk_full, move_for_good, sync

logger = logging.getLogger(__name__)

KEPT_BACKUPS = 7
"""How many of the newest are kept."""

_CHECK_SECONDS = 600.0
_MARK = ".backup-"
_BUSY_SECONDS = 5.0


def backups_of(path: Path) -> list[Path]:
    """Return the backups of the database at `path`, the newest first."""
    names = f"{path.name}{_MARK}[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
    return sorted(path.parent.glob(names), reverse=True)


@asynccontextmanager
async def keeping_backups(
    path: Path, *, clock: Callable[[], float], check_seconds: float = _CHECK_SECONDS
) -> AsyncGenerator[None, None]:
    """Make a backup on each day (UTC) on which the block lasts, and keep the newest seven.

    It holds up neither the event loop nor whoever writes. A damaged database is not copied, so
    that the good backups stay.

    Args:
        path: The database, which is open meanwhile.
        clock: Gives Unix time, in seconds.
        check_seconds: How often to see whether a new day has come, or to try again.
    """
    async with asyncio.TaskGroup() as tasks:
        keeper = tasks.create_task(_keep(path, clock, check_seconds))
        try:
            yield
        finally:
            keeper.cancel()


async def _keep(path: Path, clock: Callable[[], float], check_seconds: float) -> None:
    while True:
        day = datetime.fromtimestamp(clock(), UTC).date()
        backup = path.with_name(f"{path.name}{_MARK}{day.isoformat()}")
        if not backup.exists():
            await _try_to_make(path, backup)
        await asyncio.sleep(check_seconds)


async def _try_to_make(path: Path, backup: Path) -> None:
    try:
        with closing(_open_to_read(path)) as connection:
            await _interruptible(connection, lambda: _make(connection, path, backup))
    except (sqlite3.Error, OSError) as error:
        if is_disk_full(error):
            logger.warning("the disk is full: there is no backup of the database for today yet")
        elif isinstance(error, sqlite3.Error) and is_damage(error):
            logger.exception("the database is damaged; start Papercup again to have it rebuilt")
        else:
            logger.exception("no backup of the database could be made; trying again later")
    else:
        logger.info("the database is backed up as %s", backup.name)


def _open_to_read(path: Path) -> sqlite3.Connection:
    # A second reader is no second writer, and does not hold up the first.
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro",
        uri=True,
        isolation_level=None,
        timeout=_BUSY_SECONDS,
        check_same_thread=False,
    )


async def _interruptible(connection: sqlite3.Connection, work: Callable[[], None]) -> None:
    """Run `work` on a thread; when this is cancelled, stop it and wait until it has stopped."""
    working = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        await asyncio.shield(working)
    except asyncio.CancelledError:
        connection.interrupt()
        with suppress(sqlite3.Error, OSError):
            await working
        raise


def _make(connection: sqlite3.Connection, path: Path, backup: Path) -> None:
    unfinished = backup.with_name(backup.name + ".tmp")
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    try:
        connection.execute("VACUUM INTO ?", (str(unfinished),))
        sync(unfinished)
        move_for_good(unfinished, backup)
    finally:
        unfinished.unlink(missing_ok=True)
    _forget_old_ones(path, backup)


def _forget_old_ones(path: Path, newest: Path) -> None:
    for old in backups_of(path)[KEPT_BACKUPS:]:
        # After the clock was set back, even the one just made may look old.
        if old != newest:
            old.unlink()
