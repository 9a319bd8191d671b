import sqlite3
import stat
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from extensions.backups import backups_of, keeping_backups
from extensions.database import Database, open_database
from extensions.errors import DatabaseError
from extensions.rebuilding import open_database_or_rebuild
from tests.fakes.clock import FakeClock
from tests.fakes.small_disk import fill, make_room, small_disk
from tests.fakes.waiting import until

NOTES = "CREATE TABLE notes (text TEXT NOT NULL)"
ASIDE = "papercup.db.damaged-1970-01-01T00-16-40Z"


class Recovery:
    """Takes note of what it is told."""

    def __init__(self) -> None:
        self.told: list[bool] = []
        self.fault: Exception | None = None

    async def __call__(self, database: Database, *, is_damaged: bool) -> None:
        await database.run(lambda c: c.execute("SELECT count(*) FROM notes").fetchone())
        self.told.append(is_damaged)
        if self.fault is not None:
            raise self.fault


@asynccontextmanager
async def opened(path: Path, recovery: Recovery) -> AsyncGenerator[Database, None]:
    clock = FakeClock(1000.0)
    async with open_database_or_rebuild(path, [NOTES], recover=recovery, clock=clock) as database:
        yield database


async def add(database: Database, text: str) -> None:
    await database.run(lambda c: c.execute("INSERT INTO notes VALUES (?)", (text,)))


async def notes_in(database: Database) -> list[str]:
    rows = await database.run(lambda c: c.execute("SELECT text FROM notes").fetchall())
    return [row["text"] for row in rows]


def names_in(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def modes_in(folder: Path) -> set[int]:
    return {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


async def make(path: Path, *, backed_up: tuple[str, ...], later: tuple[str, ...]) -> None:
    """Make a database with a backup that is older than it."""
    async with open_database(path, [NOTES]) as database:
        for text in backed_up:
            await add(database, text)
        if backed_up:
            async with keeping_backups(path, clock=FakeClock()):
                await until(lambda: bool(backups_of(path)))
        for text in later:
            await add(database, text)


def no_database(path: Path) -> None:
    path.write_bytes(b"this is no database at all" * 1000)


def no_header(path: Path) -> None:
    path.write_bytes(bytes(100) + path.read_bytes()[100:])


def torn_page(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-2000:] = bytes(range(250)) * 8
    path.write_bytes(content)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def negative_schema(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = -3")


DAMAGES = [no_database, no_header, torn_page, cut_short, negative_schema]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
async def test_a_damaged_database_is_set_aside_and_the_backup_takes_its_place(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    path, recovery = tmp_path / "papercup.db", Recovery()
    await make(path, backed_up=("old",), later=("new",))
    damage(path)
    damaged = path.read_bytes()

    async with opened(path, recovery) as database:
        assert await notes_in(database) == ["old"]
        await add(database, "after")

    assert (tmp_path / ASIDE).read_bytes() == damaged
    assert recovery.told == [True]
    assert f"It is kept as {ASIDE}; the backup papercup.db.backup-1970-01-01 takes" in caplog.text
    assert modes_in(tmp_path) == {0o600}
    async with opened(path, recovery) as database:
        assert await notes_in(database) == ["old", "after"]
    assert recovery.told == [True, False]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
async def test_without_a_backup_it_begins_empty(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    path, recovery = tmp_path / "papercup.db", Recovery()
    await make(path, backed_up=(), later=("new",))
    damage(path)

    async with opened(path, recovery) as database:
        assert await notes_in(database) == []

    assert (tmp_path / ASIDE).exists()
    assert recovery.told == [True]
    assert f"It is kept as {ASIDE}; an empty one takes its place" in caplog.text


async def test_a_damaged_backup_is_passed_over_for_the_one_before(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "papercup.db"
    await make(path, backed_up=("old",), later=())
    (tmp_path / "papercup.db.backup-1970-01-02").write_bytes(b"no database" * 1000)
    (tmp_path / "papercup.db.backup-1970-01-03").write_bytes(b"")
    no_database(path)

    async with opened(path, Recovery()) as database:
        assert await notes_in(database) == ["old"]

    assert "papercup.db.backup-1970-01-02 cannot be used, either" in caplog.text


async def test_the_files_beside_it_go_with_it_and_names_are_not_used_twice(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"
    for name in ("papercup.db", "papercup.db-wal", "papercup.db-shm", ASIDE):
        (tmp_path / name).write_bytes(b"garbage" * 1000)

    async with opened(path, Recovery()) as database:
        assert await notes_in(database) == []

    # The journal was found out first, and got a name of its own.
    assert {ASIDE, f"{ASIDE}-2-wal", f"{ASIDE}-3"} <= names_in(tmp_path)


async def test_a_database_that_is_gone_comes_back_from_the_backup(tmp_path: Path) -> None:
    path, recovery = tmp_path / "papercup.db", Recovery()
    await make(path, backed_up=("old",), later=())
    for remains in ("gone", "empty", "blank"):
        path.unlink()
        if remains == "empty":
            path.touch(mode=0o600)
        elif remains == "blank":
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("PRAGMA journal_mode=WAL")

        async with opened(path, recovery) as database:
            assert await notes_in(database) == ["old"]
    assert recovery.told == [True, True, True]


async def test_a_first_start_is_no_loss(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    recovery = Recovery()
    async with opened(tmp_path / "papercup.db", recovery) as database:
        await add(database, "first")

    assert recovery.told == [False]
    assert [r for r in caplog.records if r.levelname != "INFO"] == []


async def test_a_damaged_journal_is_set_aside_and_what_it_held_is_said_to_be_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, recovery = tmp_path / "papercup.db", Recovery()
    await make(path, backed_up=(), later=("kept",))
    (tmp_path / "papercup.db-wal").write_bytes(b"garbage" * 1000)

    async with opened(path, recovery) as database:
        assert await notes_in(database) == ["kept"]

    assert (tmp_path / f"{ASIDE}-wal").read_bytes() == b"garbage" * 1000
    assert recovery.told == [True]
    assert "the journal of the database" in caplog.text


async def test_what_was_not_recovered_is_recovered_at_the_next_start(tmp_path: Path) -> None:
    path, recovery = tmp_path / "papercup.db", Recovery()
    await make(path, backed_up=("old",), later=())
    no_database(path)
    recovery.fault = sqlite3.OperationalError("database or disk is full")

    with pytest.raises(DatabaseError, match="disk is full"):
        async with opened(path, recovery):
            pass
    recovery.fault = None
    for _ in range(2):
        async with opened(path, recovery):
            pass

    assert recovery.told == [True, True, False]


async def test_the_database_of_a_newer_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "papercup.db"
    async with open_database(path, [NOTES, "CREATE TABLE more (text TEXT)"]):
        pass
    content = path.read_bytes()

    with pytest.raises(DatabaseError, match="newer Papercup"):
        async with opened(path, Recovery()):
            pass

    assert path.read_bytes() == content
    assert names_in(tmp_path) == {"papercup.db"}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk") as folder:
        yield folder


async def test_without_room_for_the_rebuilding_nothing_is_moved(disk: Path) -> None:
    path = disk / "papercup.db"
    await make(path, backed_up=("old",), later=())
    no_database(path)
    damaged = path.read_bytes()
    fill(disk)

    with pytest.raises(DatabaseError, match="No space left"):
        async with opened(path, Recovery()):
            pass
    assert path.read_bytes() == damaged

    make_room(disk)
    async with opened(path, Recovery()) as database:
        assert await notes_in(database) == ["old"]


async def test_whatever_byte_of_the_header_is_wrong_it_opens_or_says_that_it_is_newer(
    tmp_path: Path,
) -> None:
    path = tmp_path / "papercup.db"
    await make(path, backed_up=("old",), later=())
    good = path.read_bytes()

    for place in range(100):
        for name in names_in(tmp_path) - {backups_of(path)[0].name}:
            (tmp_path / name).unlink()
        content = bytearray(good)
        content[place] ^= 1 + 37 * place % 255
        path.write_bytes(content)
        try:
            async with opened(path, Recovery()) as database:
                assert await notes_in(database) == ["old"], place
        except DatabaseError as error:
            assert "newer Papercup" in str(error), place  # noqa: PT017 - most places raise nothing
