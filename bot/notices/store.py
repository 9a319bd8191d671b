"""Notices in the database: which are owed, which have arrived, and which never will."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.access import Place
from bot.messenger import MessageRef
from extensions.database import Database

SUPERSEDED = "the job has gone on since"
NOT_FOR_ALL = "not everyone there may see it"
NEEDLESS = (SUPERSEDED, NOT_FOR_ALL)
"""Why a notice need not arrive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwedNotice:
    """What one place is to be told of one run of a job."""

    job_id: str
    run_number: int
    place: Place
    """Where it is wanted."""
    person_id: int | None = None
    """Who is told directly if it cannot be said there; `None`: nobody."""
    is_direct: bool = False
    """Whether that person is told directly."""
    nonce: str | None = None
    """Of the message that says it; `None` until one is begun."""

    def redirected(self) -> "OwedNotice":
        """Return this notice as it is brought to the person."""
        return replace(self, is_direct=True, nonce=None)

    def begun(self, nonce: str) -> "OwedNotice":
        """Return this notice as it is said in the message with that nonce."""
        return replace(self, nonce=nonce)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedNotices:
    """The notices that never arrived."""

    count: int = 0
    newest_reason: str | None = None


class NoticeStore:
    """Keeps account of notices over restarts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def owe(self, notices: Sequence[OwedNotice], *, at: float) -> list[OwedNotice]:
        """Record what is owed, and return what was not yet known.

        Raises:
            sqlite3.Error: If it cannot be stored; nothing of it is then.
        """

        def insert(connection: sqlite3.Connection) -> list[OwedNotice]:
            return [
                notice
                for notice in notices
                if connection.execute(_INSERT, (*_key(notice), *_rest(notice), at)).rowcount == 1
            ]

        return await self._database.run(insert)

    async def begin(self, notices: Sequence[OwedNotice]) -> None:
        """Record how notices are about to be said: in which message, and whether directly."""
        values = [(one.is_direct, one.nonce, *_key(one)) for one in notices]
        await self._database.run(lambda connection: connection.executemany(_BEGIN, values))

    async def arrived(self, notices: Sequence[OwedNotice], ref: MessageRef) -> None:
        """Record in which message notices have arrived."""
        values = [(ref.channel_id, ref.message_id, *_key(one)) for one in notices]
        await self._database.run(lambda connection: connection.executemany(_ARRIVE, values))

    async def heard(self, notice: OwedNotice, *, at: float) -> None:
        """Record that a notice was spoken, and heard to its end."""
        values = (at, *_key(notice))
        await self._database.run(lambda connection: connection.execute(_HEAR, values))

    async def failed(self, notices: Sequence[OwedNotice], reason: str) -> None:
        """Record that notices will never arrive."""
        values = [(reason, *_key(one)) for one in notices]
        await self._database.run(lambda connection: connection.executemany(_FAIL, values))

    async def owed(self) -> list[OwedNotice]:
        """Return the notices that have not arrived, oldest first."""
        rows = await self._database.run(lambda c: c.execute(_SELECT_OWED).fetchall())
        return [_notice(row) for row in rows]

    async def failures(self, *, since: float) -> FailedNotices:
        """Return what was recorded after a Unix time, and should have arrived, but never did."""
        values = (since, *NEEDLESS)
        rows = await self._database.run(lambda c: c.execute(_SELECT_FAILED, values).fetchall())
        return FailedNotices(count=len(rows), newest_reason=rows[0]["failure"] if rows else None)


_INSERT = (
    "INSERT OR IGNORE INTO notices"
    " (job_id, run_number, channel_id, guild_id, person_id, recorded_at) VALUES (?, ?, ?, ?, ?, ?)"
)
_BEGIN = """
    UPDATE notices SET is_direct = ?, nonce = ?
    WHERE job_id = ? AND run_number = ? AND channel_id = ?
"""
_ARRIVE = """
    UPDATE notices SET message_channel_id = ?, message_id = ?
    WHERE job_id = ? AND run_number = ? AND channel_id = ?
"""
_HEAR = """
    UPDATE notices SET heard_at = ? WHERE job_id = ? AND run_number = ? AND channel_id = ?
"""
_FAIL = """
    UPDATE notices SET failure = ? WHERE job_id = ? AND run_number = ? AND channel_id = ?
"""
_SELECT_OWED = (
    "SELECT * FROM notices WHERE message_id IS NULL AND failure IS NULL AND heard_at IS NULL"
    " ORDER BY recorded_at, rowid"
)
_SELECT_FAILED = (
    "SELECT failure FROM notices WHERE failure IS NOT NULL AND recorded_at > ? "
    " AND failure NOT IN (?, ?)"
    " ORDER BY recorded_at DESC, rowid DESC"
)


def _key(notice: OwedNotice) -> tuple[str, int, int]:
    return notice.job_id, notice.run_number, notice.place.channel_id


def _rest(notice: OwedNotice) -> tuple[int | None, int | None]:
    return notice.place.guild_id, notice.person_id


def _notice(row: sqlite3.Row) -> OwedNotice:
    return OwedNotice(
        job_id=row["job_id"],
        run_number=row["run_number"],
        place=Place(guild_id=row["guild_id"], channel_id=row["channel_id"]),
        person_id=row["person_id"],
        is_direct=bool(row["is_direct"]),
        nonce=row["nonce"],
    )
