"""Sees to it that no more sessions are started than Discord allows, over restarts too."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Mapping
from typing import Any

from bot.discord_io.session_starts import DAY_SECONDS, SessionStarts
from extensions.database import Database

logger = logging.getLogger(__name__)


class SessionsSpentError(Exception):
    """No session may be started now. The client that wanted to is thrown away."""


class StartLog:
    """Remembers when sessions were started."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self, *, since: float) -> list[float]:
        """Return when sessions were started after a Unix time, oldest first."""
        rows = await self._database.run(
            lambda connection: connection.execute(
                "SELECT at FROM discord_sessions WHERE at > ? ORDER BY at", (since,)
            ).fetchall()
        )
        return [row["at"] for row in rows]

    async def add(self, at: float) -> None:
        """Remember one, and forget those that count no more."""

        def replace(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM discord_sessions WHERE at <= ?", (at - DAY_SECONDS,))
            connection.execute("INSERT INTO discord_sessions (at) VALUES (?)", (at,))

        await self._database.run(replace)


class SessionBudget:
    """Lets sessions be started, or has them wait.

    Args:
        log: Where they are remembered; without one a restart forgets them.
        starts: Decides; empty if none is given.
        clock: Gives Unix time, in seconds.
    """

    def __init__(
        self,
        log: StartLog | None = None,
        starts: SessionStarts | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._log = log
        self._starts = starts
        self._clock = clock

    async def wait(self) -> None:
        """Return when a session may be started."""
        starts = await self._known()
        while (seconds := starts.wait_seconds(now=self._clock())) > 0:
            logger.warning(
                "too many sessions with Discord were started of late; the next is in %.0f s",
                seconds,
            )
            await asyncio.sleep(seconds)

    def learn(self, limit: Mapping[str, Any]) -> None:
        """Take note of Discord's own count.

        Args:
            limit: Its session start limit object.
        """
        if self._starts is not None:
            resets_at = self._clock() + limit["reset_after"] / 1000
            self._starts.learn(int(limit["remaining"]), resets_at=resets_at)

    async def begin(self) -> None:
        """Count a session that is about to be started.

        Raises:
            SessionsSpentError: If none may be started now.
        """
        now = self._clock()
        starts = await self._known()
        self.refuse_if_spent()
        starts.count(now=now)
        if self._log is None:
            return
        try:
            await self._log.add(now)
        except (sqlite3.Error, OSError):
            logger.exception("that a session with Discord was started cannot be stored")

    def refuse_if_spent(self) -> None:
        """Do nothing, if a session may be started.

        Raises:
            SessionsSpentError: If none may be started now.
        """
        if self._starts is not None and self._starts.wait_seconds(now=self._clock()) > 0:
            raise SessionsSpentError

    async def _known(self) -> SessionStarts:
        if self._starts is None:
            since = self._clock() - DAY_SECONDS
            self._starts = SessionStarts(await self._log.newest(since=since) if self._log else ())
        return self._starts
