"""Keeps what the operator said of plugins and of projects, in the database."""

import json
import sqlite3
from pathlib import Path

from extensions.database import Database
from extensions.plugins.manifest import Candidate, Scope
from extensions.plugins.trust import Grant, TrustFacts, TrustRecord


class TrustStore:
    """What the operator said of plugins and of projects."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, record: TrustRecord) -> None:
        """Keep what was said of a plugin, in place of what was said before."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO plugin_trust VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    record.scope.value,
                    str(record.folder),
                    record.plugin_id,
                    record.source,
                    record.hash,
                    _grant_as_json(record.grant),
                    json.dumps(record.capabilities),
                    record.at,
                    record.packages,
                ),
            )

        await self._database.run(write)

    async def forget(self, plugin_id: str) -> int:
        """Forget what was said of the plugins of an id, wherever they are; return of how many."""
        return await self._changed("DELETE FROM plugin_trust WHERE plugin_id = ?", (plugin_id,))

    async def records(self) -> list[TrustRecord]:
        """Return all that was said of plugins, by id."""

        def read(connection: sqlite3.Connection) -> list[TrustRecord]:
            order = "SELECT * FROM plugin_trust ORDER BY plugin_id, scope, folder"
            return [_record(row) for row in connection.execute(order)]

        return await self._database.run(read)

    async def facts(self, candidate: Candidate, *, configured_hash: str | None) -> TrustFacts:
        """Return what is known of a plugin."""

        def read(connection: sqlite3.Connection) -> TrustFacts:
            row = connection.execute(
                "SELECT * FROM plugin_trust WHERE scope = ? AND folder = ?",
                (candidate.scope.value, str(candidate.folder)),
            ).fetchone()
            projects = connection.execute("SELECT folder FROM trusted_projects")
            return TrustFacts(
                record=None if row is None else _record(row),
                configured_hash=configured_hash,
                trusted_projects=frozenset(Path(each["folder"]) for each in projects),
            )

        return await self._database.run(read)

    async def trust_project(self, folder: Path, *, at: float) -> bool:
        """Let the plugins of a project be loaded; say whether they were not before."""
        statement = "INSERT OR IGNORE INTO trusted_projects VALUES (?, ?)"
        return bool(await self._changed(statement, (str(folder), at)))

    async def untrust_project(self, folder: Path) -> bool:
        """Let them not be loaded any more; say whether they were."""
        statement = "DELETE FROM trusted_projects WHERE folder = ?"
        return bool(await self._changed(statement, (str(folder),)))

    async def projects(self) -> dict[Path, float]:
        """Return the projects that are trusted, by their names, and since when: Unix time."""

        def read(connection: sqlite3.Connection) -> dict[Path, float]:
            rows = connection.execute("SELECT * FROM trusted_projects ORDER BY folder")
            return {Path(row["folder"]): row["trusted_at"] for row in rows}

        return await self._database.run(read)

    async def _changed(self, statement: str, values: tuple[object, ...]) -> int:
        def write(connection: sqlite3.Connection) -> int:
            return connection.execute(statement, values).rowcount

        return await self._database.run(write)


def _grant_as_json(grant: Grant | None) -> str | None:
    return None if grant is None else json.dumps({"env": sorted(grant.env), "exec": grant.exec})


def _record(row: sqlite3.Row) -> TrustRecord:
    granted = None if row["granted"] is None else json.loads(row["granted"])
    return TrustRecord(
        scope=Scope(row["scope"]),
        folder=Path(row["folder"]),
        plugin_id=row["plugin_id"],
        source=row["source"],
        hash=row["hash"],
        grant=granted and Grant(env=frozenset(granted["env"]), exec=granted["exec"]),
        capabilities=tuple(json.loads(row["capabilities"])),
        at=row["trusted_at"],
        packages=row["packages"],
    )
