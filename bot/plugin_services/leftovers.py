"""What plugins leave behind that are taken out: values, entries, places, files, credentials."""

import asyncio
import shutil
import sqlite3
from pathlib import Path

from extensions.database import Database
from extensions.errors import PluginError
from extensions.plugins.naming import is_valid_id

_FORGET = (
    "DELETE FROM plugin_values WHERE plugin_id = ?",
    "DELETE FROM plugin_entries WHERE plugin_id = ?",
    "DELETE FROM plugin_places WHERE plugin_id = ?",
)


class Leftovers:
    """Knows what plugins leave behind, and forgets it."""

    def __init__(self, database: Database, plugins_folder: Path) -> None:
        """Make it.

        Args:
            database: Where their values are.
            plugins_folder: Where each plugin has a folder of data, by its id.
        """
        self._database = database
        self._plugins_folder = plugins_folder

    async def forget(self, plugin_id: str) -> bool:
        """Keep nothing of a plugin any more, which must not run; say whether there was anything.

        Raises:
            PluginError: If that is no plugin's id, or its files cannot be removed.
        """
        if not is_valid_id(plugin_id):
            raise PluginError(ascii(plugin_id), "no plugin may be called that")

        def delete(connection: sqlite3.Connection) -> int:
            return sum(connection.execute(each, (plugin_id,)).rowcount for each in _FORGET)

        rows = await self._database.run(delete)
        try:
            had_files = await asyncio.to_thread(_remove, self._plugins_folder / plugin_id)
        except OSError as error:
            reason = f"its files cannot be removed ({error.strerror or error})"
            raise PluginError(plugin_id, reason) from error
        return rows > 0 or had_files


def _remove(folder: Path) -> bool:
    if not folder.exists():
        return False
    shutil.rmtree(folder)
    return True
