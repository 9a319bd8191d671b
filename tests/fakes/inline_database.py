"""A database in memory that needs no thread, for use on the virtual clock."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from bot.migrations import migrations
from extensions.database import Database

T = TypeVar("T")


class InlineDatabase(Database):
    """A bot's database, as new; what it is given to do, it does at once."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.row_factory = sqlite3.Row
        super().__init__(self.connection, ThreadPoolExecutor(max_workers=1))
        for script in migrations():
            self.connection.executescript(script)

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in one transaction."""
        return self._transact(work)
