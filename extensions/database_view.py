"""Looks into the database without a change, whether or not a bot has it open."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from extensions.database import Database
from extensions.errors import DatabaseError

T = TypeVar("T")


@asynccontextmanager
async def open_database_to_read(path: Path, *, schema: int) -> AsyncGenerator[Database, None]:
    """Open the database at `path`, which has to be there; nothing in it can be changed.

    Args:
        path: The file.
        schema: How many migrations it must have seen.

    Raises:
        DatabaseError: If it cannot be opened, or has another form than this program knows.
    """
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="database") as executor:
        try:
            connection = await loop.run_in_executor(executor, _open, path, schema)
        except sqlite3.Error as error:
            raise DatabaseError(str(path), str(error)) from error
        try:
            yield _DatabaseView(connection, executor)
        finally:
            await loop.run_in_executor(executor, connection.close)


class _DatabaseView(Database):
    def _transact(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._connection:
            self._connection.execute("BEGIN")
            return work(self._connection)


def _open(path: Path, schema: int) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.row_factory = sqlite3.Row
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    except BaseException:
        connection.close()
        raise
    if version != schema:
        connection.close()
        age = "an older" if version < schema else "a newer"
        raise DatabaseError(
            str(path), f"it was made by {age} Papercup (schema {version}, not {schema})"
        )
    return connection
