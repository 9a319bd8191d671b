"""Remembers what Discord was last told of the commands, so that it is told once."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from extensions.database import Database

CommandKey = tuple[int, str]
"""Discord's number of the kind of a command, and the first word of its name."""

EVERYWHERE = 0
"""Stands for the guild of commands that are offered everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """What Discord was last told of the commands in one guild, or everywhere."""

    digest: str
    """Of what it was told."""
    ids: Mapping[CommandKey, int]
    """Discord's ids of the commands."""


class CommandStore:
    """Keeps that in the database, for one application after another.

    Args:
        database: Where.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, application_id: int) -> dict[int, Registered]:
        """Return by guild what Discord was told; `EVERYWHERE` stands for none."""

        def select(connection: sqlite3.Connection) -> dict[int, Registered]:
            rows = connection.execute(
                "SELECT guild_id, digest FROM command_registrations WHERE application_id = ?",
                (application_id,),
            ).fetchall()
            return {
                row["guild_id"]: Registered(
                    digest=row["digest"], ids=_ids(connection, application_id, row["guild_id"])
                )
                for row in rows
            }

        return await self._database.run(select)

    async def write(self, application_id: int, guild_id: int, registered: Registered) -> None:
        """Remember what Discord was told, in place of what it was told before."""

        def replace(connection: sqlite3.Connection) -> None:
            _forget(connection, application_id, guild_id)
            connection.execute(
                "INSERT INTO command_registrations (application_id, guild_id, digest)"
                " VALUES (?, ?, ?)",
                (application_id, guild_id, registered.digest),
            )
            connection.executemany(
                "INSERT INTO registered_commands (application_id, guild_id, kind, name, command_id)"
                " VALUES (?, ?, ?, ?, ?)",
                [
                    (application_id, guild_id, kind, name, command_id)
                    for (kind, name), command_id in registered.ids.items()
                ],
            )

        await self._database.run(replace)

    async def forget(self, application_id: int, guild_id: int) -> None:
        """Forget what Discord was told there, so that it is told anew."""
        await self._database.run(lambda connection: _forget(connection, application_id, guild_id))


def _ids(
    connection: sqlite3.Connection, application_id: int, guild_id: int
) -> dict[CommandKey, int]:
    rows = connection.execute(
        "SELECT kind, name, command_id FROM registered_commands"
        " WHERE application_id = ? AND guild_id = ?",
        (application_id, guild_id),
    ).fetchall()
    return {(row["kind"], row["name"]): row["command_id"] for row in rows}


def _forget(connection: sqlite3.Connection, application_id: int, guild_id: int) -> None:
    for table in ("command_registrations", "registered_commands"):
        connection.execute(
            f"DELETE FROM {table} WHERE application_id = ? AND guild_id = ?",  # noqa: S608 - a name of ours
            (application_id, guild_id),
        )
