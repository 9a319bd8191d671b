import asyncio
import os
import signal
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from extensions.database import Database, open_database
from extensions.disk import is_disk_full
from extensions.errors import DatabaseDamagedError, DatabaseError
from tests.fakes.small_disk import fill, make_room, small_disk

NOTES = "CREATE TABLE notes (text TEXT NOT NULL) -- no semicolon after this"
AUTHORS = "ALTER TABLE notes ADD COLUMN author TEXT; UPDATE notes SET author = 'anna'"


async def notes_in(database: Database) -> list[str]:
    rows = await database.run(lambda c: c.execute("SELECT text FROM notes").fetchall())
    return [row["text"] for row in rows]


def modes_in(folder: Path) -> set[int]:
    return {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


def add_note(text: str, connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO notes (text) VALUES (?)", (text,))


async def test_what_was_written_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"
    async with open_database(path, [NOTES]) as database:
        await database.run(lambda c: add_note("first", c))

    async with open_database(path, [NOTES]) as database:
        assert await notes_in(database) == ["first"]


async def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"

    async with open_database(path, [NOTES]) as database:
        await database.run(lambda c: add_note("first", c))
        assert modes_in(tmp_path) == {0o600}


async def test_each_commit_reaches_the_disk(tmp_path: Path) -> None:
    async with open_database(tmp_path / "papercup.db", []) as database:
        settings = await database.run(
            lambda c: [
                c.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("journal_mode", "synchronous", "foreign_keys")
            ]
        )

    assert settings == ["wal", 2, 1]


async def test_work_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def add_and_fail(connection: sqlite3.Connection) -> None:
        add_note("half done", connection)
        raise ValueError("the rest of it")

    async with open_database(tmp_path / "papercup.db", [NOTES]) as database:
        with pytest.raises(ValueError, match="the rest of it"):
            await database.run(add_and_fail)
        await database.run(lambda c: add_note("whole", c))

        assert await notes_in(database) == ["whole"]


async def test_work_whose_asker_is_cancelled_is_done_all_the_same(tmp_path: Path) -> None:
    async with open_database(tmp_path / "papercup.db", [NOTES]) as database:
        async with asyncio.TaskGroup() as tasks:
            asking = tasks.create_task(database.run(lambda c: add_note("kept", c)))
            await asyncio.sleep(0)
            asking.cancel()

        assert asking.cancelled()
        assert await notes_in(database) == ["kept"]


async def test_an_older_database_gets_the_missing_migrations_and_a_copy_is_kept(
    tmp_path: Path,
) -> None:
    path = tmp_path / "papercup.db"
    async with open_database(path, [NOTES]) as database:
        await database.run(lambda c: add_note("first", c))

    async with open_database(path, [NOTES, AUTHORS]) as database:
        row = await database.run(lambda c: c.execute("SELECT * FROM notes").fetchone())
        assert tuple(row) == ("first", "anna")

    copy = tmp_path / "papercup.db.schema-1"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    async with open_database(copy, [NOTES]) as older:
        assert await notes_in(older) == ["first"]


async def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"
    async with open_database(path, [NOTES]) as database:
        await database.run(lambda c: add_note("first", c))

    with pytest.raises(DatabaseError, match="no such table"):
        async with open_database(path, [NOTES, f"{AUTHORS}; DROP TABLE missing"]):
            pass

    async with open_database(path, [NOTES, AUTHORS]) as database:
        assert await notes_in(database) == ["first"]


async def test_the_database_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"
    async with open_database(path, [NOTES, AUTHORS]):
        pass

    with pytest.raises(DatabaseError, match=r"newer Papercup \(schema 2\)"):
        async with open_database(path, [NOTES]):
            pass


async def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"
    content = b"this is no database at all" * 100
    path.write_bytes(content)

    with pytest.raises(DatabaseDamagedError, match="not a database"):
        async with open_database(path, [NOTES]):
            pass

    assert path.read_bytes() == content


async def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"
    async with open_database(path, [NOTES]) as database:
        await database.run(lambda c: add_note("x" * 100_000, c))
    content = bytearray(path.read_bytes())
    content[-20_000:] = bytes(20_000)
    path.write_bytes(content)

    with pytest.raises(DatabaseDamagedError):
        async with open_database(path, [NOTES]):
            pass


async def test_a_folder_that_is_missing_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match=r"missing/papercup\.db"):
        async with open_database(tmp_path / "missing" / "papercup.db", [NOTES]):
            pass


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk") as folder:
        yield folder


async def test_a_full_disk_keeps_what_was_there_and_it_goes_on_when_there_is_room(
    disk: Path,
) -> None:
    path = disk / "papercup.db"
    async with open_database(path, [NOTES]) as database:
        await database.run(lambda c: add_note("first", c))
        fill(disk)
        with pytest.raises(sqlite3.OperationalError, match="full") as caught:
            await database.run(lambda c: add_note("x" * 100_000, c))
        assert is_disk_full(caught.value)
        assert await notes_in(database) == ["first"]

        make_room(disk)
        await database.run(lambda c: add_note("second", c))
        assert await notes_in(database) == ["first", "second"]
        fill(disk)
    make_room(disk)

    async with open_database(path, [NOTES]) as database:
        assert await notes_in(database) == ["first", "second"]


async def test_a_schema_number_that_cannot_be_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"
    for number in (-1, 0, 10_000):
        path.unlink(missing_ok=True)
        async with open_database(path, [NOTES]):
            pass
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {number}")

        with pytest.raises(DatabaseDamagedError, match=f"its schema is said to be {number}"):
            async with open_database(path, [NOTES]):
                pass


WRITER = """
import asyncio, pathlib, sys
from extensions.database import open_database

async def main():
    async with open_database(pathlib.Path(sys.argv[1]), ["CREATE TABLE notes (text TEXT)"]) as db:
        for number in range(1_000_000):
            await db.run(lambda c: c.execute("INSERT INTO notes VALUES (?)", (str(number),)))
            print(number, flush=True)

asyncio.run(main())
"""


async def test_nothing_that_was_acknowledged_is_lost_when_the_program_is_killed(
    tmp_path: Path,
) -> None:
    for attempt in range(3):
        path = tmp_path / f"{attempt}.db"
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", WRITER, str(path), stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None
        async with asyncio.timeout(30):
            lines = [await process.stdout.readline() for _ in range(20)]
            os.kill(process.pid, signal.SIGKILL)
            lines += (await process.stdout.read()).splitlines(keepends=True)
            await process.wait()

        acknowledged = [line.decode().strip() for line in lines if line.endswith(b"\n")]
        async with open_database(path, [NOTES]) as database:
            assert (await notes_in(database))[: len(acknowledged)] == acknowledged
