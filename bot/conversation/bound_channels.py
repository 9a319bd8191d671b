"""The channels in which every message is meant for the bot."""

from collections.abc import Iterable
from enum import StrEnum

from bot.access import Place
from extensions.database import Database


class Unbinding(StrEnum):
    """What came of unbinding a channel."""

    DONE = "done"
    NOT_BOUND = "not bound"
    CONFIGURED = "configured"
    """It stands in the configuration, which people do not change from Discord."""


class BoundChannels:
    """Knows them, those of the configuration and those that people bound.

    What people bind counts in the server where they did: an id alone binds nothing elsewhere.
    """

    def __init__(self, database: Database, configured_ids: Iterable[int]) -> None:
        """Make it; call `restore` before anything else.

        Args:
            database: Where those that people bound are kept.
            configured_ids: Those of the configuration.
        """
        self._database = database
        self._configured_ids = frozenset(configured_ids)
        self._bound: set[tuple[int, int]] = set()
        """The server and the channel of each that people bound."""

    async def restore(self) -> None:
        """Remember what people bound before.

        Raises:
            sqlite3.Error: If nobody could look.
        """
        rows = await self._database.run(
            lambda c: c.execute("SELECT guild_id, channel_id FROM bound_channels").fetchall()
        )
        self._bound = {(row["guild_id"], row["channel_id"]) for row in rows}

    def all(self) -> frozenset[int]:
        """Return the ids of all of them."""
        return self._configured_ids | {channel_id for _, channel_id in self._bound}

    def is_bound(self, place: Place) -> bool:
        """Say whether `place` is bound, or a thread of a channel that is."""
        return self._holds(place, place.channel_id) or self._holds(place, place.parent_id)

    def is_bound_itself(self, place: Place) -> bool:
        """Say whether `place` is bound, be it a thread or not."""
        return self._holds(place, place.channel_id)

    async def bind(self, place: Place, *, by: int) -> bool:
        """Bind a channel of a server; `False` if it is bound already.

        Args:
            place: The channel.
            by: Discord's id of who wants it.

        Raises:
            sqlite3.Error: If it was not stored; then it is not bound.
        """
        assert place.guild_id is not None, "in direct messages everything is for the bot"
        if self.is_bound_itself(place):
            return False
        key = (place.guild_id, place.channel_id)
        await self._database.run(
            lambda c: c.execute(
                "INSERT OR REPLACE INTO bound_channels VALUES (?, ?, ?)", (*key, by)
            )
        )
        self._bound.add(key)
        return True

    async def unbind(self, place: Place) -> Unbinding:
        """Have a channel bound no more.

        Raises:
            sqlite3.Error: If that was not stored; then it is still bound.
        """
        if place.channel_id in self._configured_ids:
            return Unbinding.CONFIGURED
        if place.guild_id is None or not self.is_bound_itself(place):
            return Unbinding.NOT_BOUND
        key = (place.guild_id, place.channel_id)
        await self._database.run(
            lambda c: c.execute(
                "DELETE FROM bound_channels WHERE guild_id = ? AND channel_id = ?", key
            )
        )
        self._bound.discard(key)
        return Unbinding.DONE

    def _holds(self, place: Place, channel_id: int | None) -> bool:
        if channel_id is None or place.guild_id is None:
            return False
        return channel_id in self._configured_ids or (place.guild_id, channel_id) in self._bound
