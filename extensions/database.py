"""The one database: SQLite, written by one thread only.

Every statement runs on a thread of its own, so that a slow disk never holds up the event loop,
and one after another, so that no two writers can meet.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from extensions.errors import DatabaseDamagedError, DatabaseError

logger = logging.getLogger(__name__)

T = TypeVar("T")

_SCHEMA_LIMIT = 9999
"""No program will ever be that new."""
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class Database:
    """An open database. Get one from `open_database`."""

    def __init__(self, connection: sqlite3.Connection, executor: ThreadPoolExecutor) -> None:
        self._connection = connection
        self._executor = executor

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in one transaction, and return what it returns once that is on the disk.

        If `work` raises, nothing of it is kept. If the caller is cancelled meanwhile, the
        transaction is carried out all the same.

        Raises:
            sqlite3.Error: If the disk or the database refused it.
        """
        loop = asyncio.get_running_loop()
        return await asyncio.shield(loop.run_in_executor(self._executor, self._transact, work))

    def _transact(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            return work(self._connection)


@asynccontextmanager
async def open_database(path: Path, migrations: Sequence[str]) -> AsyncGenerator[Database, None]:
    """Open the database at `path`, and bring it to its newest form.

    Args:
        path: The file; it is made, readable by its owner alone, if it is missing.
        migrations: SQL scripts; the first N have been applied when `user_version` is N.

    Raises:
        DatabaseDamagedError: If it is damaged.
        DatabaseError: If it cannot be opened, or is newer than this program.
    """
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="database") as executor:
        try:
            connection = await loop.run_in_executor(executor, _open, path, migrations)
        except (sqlite3.Error, OSError) as error:
            kind = DatabaseDamagedError if is_damage(error) else DatabaseError
            raise kind(str(path), str(error)) from error
        try:
            yield Database(connection, executor)
        finally:
            await loop.run_in_executor(executor, connection.close)


def is_damage(error: Exception) -> bool:
    """Say whether an error of SQLite tells of a damaged file."""
    # Of an extended code the lowest byte is the kind; what SQLite did not raise has none.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def _open(path: Path, migrations: Sequence[str]) -> sqlite3.Connection:
    path.touch(mode=0o600)
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        connection.row_factory = sqlite3.Row
        _check(connection, path)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        _migrate(connection, path, migrations)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    try:
        (finding,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
            raise
        # Only a header that makes no sense can be to blame for these statements.
        raise DatabaseDamagedError(str(path), str(error)) from error
    if finding != "ok":
        raise DatabaseDamagedError(str(path), f"it is damaged: {finding}")
    if not 0 <= version <= _SCHEMA_LIMIT or (tables and not version):
        raise DatabaseDamagedError(str(path), f"it is damaged: its schema is said to be {version}")


def _migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[str]) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(migrations):
        raise DatabaseError(str(path), f"it was made by a newer Papercup (schema {version})")
    if 0 < version < len(migrations):
        _keep_copy(connection, path.with_name(f"{path.name}.schema-{version}"))
    for number, script in enumerate(migrations[version:], start=version + 1):
        logger.info("database: applying migration %d", number)
        # One transaction for each step, so that a step is applied whole or not at all.
        connection.executescript(f"BEGIN;\n{script}\n;PRAGMA user_version={number};\nCOMMIT;")


def _keep_copy(connection: sqlite3.Connection, copy: Path) -> None:
    """Keep the database as it is before a change of its form, for an older program to use."""
    copy.unlink(missing_ok=True)
    copy.touch(mode=0o600)
    connection.execute("VACUUM INTO ?", (str(copy),))
