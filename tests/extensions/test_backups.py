import asyncio
import logging
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from extensions.backups import backups_of, keeping_backups
from extensions.database import Database, open_database
from tests.fakes.clock import FakeClock
from tests.fakes.small_disk import fill, make_room, small_disk
from tests.fakes.waiting import until

DAY = 86_400.0
NOTES = "CREATE TABLE notes (text TEXT NOT NULL)"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk") as folder:
        yield folder


async def add(database: Database, text: str) -> None:
    await database.run(lambda c: c.execute("INSERT INTO notes VALUES (?)", (text,)))


def notes_in(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes")]


def days_of(path: Path) -> list[str]:
    return [backup.name.removeprefix("papercup.db.backup-") for backup in backups_of(path)]


def unfinished_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(".tmp")]


async def test_there_is_one_for_each_day_and_the_newest_seven_are_kept(tmp_path: Path) -> None:
    path, clock = tmp_path / "papercup.db", FakeClock(0.0)
    async with (
        open_database(path, [NOTES]) as database,
        keeping_backups(path, clock=clock, check_seconds=0.001),
    ):
        for day in range(1, 10):
            await until(lambda: has_one_for(path, clock))
            await add(database, f"day {day}")
            clock.advance(DAY)
        await until(lambda: has_one_for(path, clock))

    assert days_of(path) == [f"1970-01-{day:02}" for day in range(10, 3, -1)]
    # Each was made at the beginning of its day.
    assert notes_in(backups_of(path)[0]) == [f"day {day}" for day in range(1, 10)]
    assert notes_in(backups_of(path)[1]) == [f"day {day}" for day in range(1, 9)]


def has_one_for(path: Path, clock: Callable[[], float]) -> bool:
    return f"1970-01-{int(clock() / DAY) + 1:02}" in days_of(path)


async def test_it_is_whole_by_itself_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"
    async with open_database(path, [NOTES]) as database:
        await add(database, "only in the journal so far")
        async with keeping_backups(path, clock=FakeClock()):
            await until(lambda: bool(backups_of(path)))

    (backup,) = backups_of(path)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    async with open_database(backup, [NOTES]):
        assert notes_in(backup) == ["only in the journal so far"]


async def test_whoever_writes_is_not_held_up_and_each_backup_is_of_one_moment(
    tmp_path: Path,
) -> None:
    path, clock = tmp_path / "papercup.db", FakeClock()
    pairs = "CREATE TABLE notes (text TEXT); CREATE TABLE copies (text TEXT)"

    def put_both(number: int, connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO notes VALUES (?)", (f"{number}",))
        connection.execute("INSERT INTO copies VALUES (?)", (f"{number}",))

    async with open_database(path, [pairs]) as database:
        await database.run(lambda c: c.execute(MANY_NOTES))
        async with keeping_backups(path, clock=clock, check_seconds=0.001):
            for number in range(200):
                await database.run(partial(put_both, number))
                clock.advance(DAY / 20)
            await until(lambda: len(backups_of(path)) > 1)

    for backup in backups_of(path):
        with closing(sqlite3.connect(backup)) as connection:
            counts = "SELECT (SELECT count(*) FROM notes) - (SELECT count(*) FROM copies)"
            assert connection.execute(counts).fetchone() == (20_000,)


MANY_NOTES = """
    INSERT INTO notes WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
    SELECT 'a note that takes some room ' || i FROM n
"""


async def test_one_of_today_is_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"
    async with open_database(path, [NOTES]) as database:
        for text in ("first", "second"):
            async with keeping_backups(path, clock=FakeClock(), check_seconds=0.001):
                await until(lambda: bool(backups_of(path)))
            await add(database, text)

    assert notes_in(backups_of(path)[0]) == []


async def test_a_full_disk_leaves_the_older_ones_and_is_tried_again(
    disk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, clock = disk / "papercup.db", FakeClock()
    async with (
        open_database(path, [NOTES]),
        keeping_backups(path, clock=clock, check_seconds=0.001),
    ):
        await until(lambda: days_of(path) == ["1970-01-01"])
        fill(disk)
        clock.advance(DAY)
        await until(lambda: "the disk is full: there is no backup" in caplog.text)
        assert days_of(path) == ["1970-01-01"]

        make_room(disk)
        await until(lambda: days_of(path) == ["1970-01-02", "1970-01-01"])
    assert unfinished_in(disk) == []


async def test_a_damaged_database_does_not_take_the_place_of_a_good_backup(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "papercup.db"
    async with open_database(path, [NOTES]) as database:
        await database.run(lambda c: c.execute(MANY_NOTES))
    with path.open("r+b") as file:
        file.seek(100_000)
        file.write(bytes(50_000))

    with closing(sqlite3.connect(path)):
        async with keeping_backups(path, clock=FakeClock(), check_seconds=0.001):
            await until(lambda: "the database is damaged" in caplog.text)

    assert backups_of(path) == []
    assert {record.levelno for record in caplog.records} == {logging.ERROR}


async def test_a_backup_that_is_being_made_is_given_up_when_the_block_is_left(
    tmp_path: Path,
) -> None:
    path = tmp_path / "papercup.db"
    async with open_database(path, [NOTES]) as database:
        for _ in range(20):
            await database.run(lambda c: c.execute(MANY_NOTES))
        async with asyncio.timeout(5), keeping_backups(path, clock=FakeClock()):
            await until(lambda: bool(unfinished_in(tmp_path) or backups_of(path)))

    assert unfinished_in(tmp_path) == []
