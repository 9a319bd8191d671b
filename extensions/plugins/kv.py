"""What plugins keep: a value for each key, for each plugin apart."""

import sqlite3
from typing import Any

import msgspec

from extensions.database import Database

LONGEST_KEY = 256
"""In characters."""
MOST_KEYS = 10_000
"""Of one plugin."""
MOST_VALUE_BYTES = 1024 * 1024
"""Of one value, as JSON."""
MOST_BYTES = 128 * 1024 * 1024
"""Of all values of one plugin together."""


class KeyValueError(Exception):
    """That cannot be kept."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        """A few words for the plugin's author."""

    def __str__(self) -> str:
        return self.reason


class KeyValues:
    """Keeps values over restarts; no plugin sees those of another.

    Each method may raise sqlite3.Error.
    """

    def __init__(self, database: Database, *, most_bytes: int = MOST_BYTES) -> None:
        """Make it.

        Args:
            database: Where they are kept.
            most_bytes: How large all values of one plugin together may be, as JSON.
        """
        self._database = database
        self._most_bytes = most_bytes

    async def get(self, plugin_id: str, key: str) -> Any:
        """Return the value under that key; `None` if there is none."""

        def get(connection: sqlite3.Connection) -> bytes | None:
            row = connection.execute(_GET, (plugin_id, key)).fetchone()
            return None if row is None else row["value"]

        found = await self._database.run(get)
        return None if found is None else msgspec.json.decode(found)

    async def set(self, plugin_id: str, key: str, value: Any) -> None:
        """Keep a JSON value under that key; it is on the disk when this returns.

        Raises:
            KeyValueError: If the key or the value is too long, or too much is kept already.
        """
        if not 0 < len(key) <= LONGEST_KEY:
            raise KeyValueError(f"a key has 1 to {LONGEST_KEY} characters")
        encoded = msgspec.json.encode(value)
        if len(encoded) > MOST_VALUE_BYTES:
            raise KeyValueError(f"the value is larger than {MOST_VALUE_BYTES} bytes")
        most = self._most_bytes
        await self._database.run(lambda c: _set(c, plugin_id, key, encoded, most_bytes=most))

    async def delete(self, plugin_id: str, key: str) -> None:
        """Keep nothing under that key any more; harmless if nothing is there."""
        await self._database.run(lambda connection: connection.execute(_DELETE, (plugin_id, key)))

    async def keys(self, plugin_id: str, prefix: str = "") -> list[str]:
        """Return the keys that begin so, in order."""

        def keys(connection: sqlite3.Connection) -> list[str]:
            # Not LIKE, in which some characters stand for others.
            found = [row["key"] for row in connection.execute(_KEYS, (plugin_id,))]
            return [key for key in found if key.startswith(prefix)]

        return await self._database.run(keys)

    async def forget(self, plugin_id: str) -> None:
        """Keep nothing of that plugin any more."""
        await self._database.run(lambda connection: connection.execute(_FORGET, (plugin_id,)))


_GET = "SELECT value FROM plugin_values WHERE plugin_id = ? AND key = ?"
_DELETE = "DELETE FROM plugin_values WHERE plugin_id = ? AND key = ?"
_FORGET = "DELETE FROM plugin_values WHERE plugin_id = ?"
_KEYS = "SELECT key FROM plugin_values WHERE plugin_id = ? ORDER BY key"
_OTHERS = (
    "SELECT count(*) AS count, coalesce(sum(length(value)), 0) AS bytes"
    " FROM plugin_values WHERE plugin_id = ? AND key != ?"
)
_SET = (
    "INSERT INTO plugin_values (plugin_id, key, value) VALUES (?, ?, ?)"
    " ON CONFLICT (plugin_id, key) DO UPDATE SET value = excluded.value"
)


def _set(
    connection: sqlite3.Connection, plugin_id: str, key: str, value: bytes, *, most_bytes: int
) -> None:
    others = connection.execute(_OTHERS, (plugin_id, key)).fetchone()
    if others["count"] >= MOST_KEYS:
        raise KeyValueError(f"{MOST_KEYS} keys are kept already")
    if others["bytes"] + len(value) > most_bytes:
        raise KeyValueError(f"all values together would be larger than {most_bytes} bytes")
    connection.execute(_SET, (plugin_id, key, value))
