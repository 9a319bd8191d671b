import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from extensions.wal import wal_damage


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    with closing(sqlite3.connect(tmp_path / "papercup.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE notes (text TEXT)")
        yield tmp_path / "papercup.db-wal"


def test_a_log_that_sqlite_wrote_is_right(log: Path) -> None:
    assert log.stat().st_size > 0
    assert wal_damage(log) is None


def test_no_log_and_one_that_has_just_been_begun_are_right(tmp_path: Path) -> None:
    assert wal_damage(tmp_path / "missing") is None
    for content in (b"", b"\x37\x7f"):
        (tmp_path / "log").write_bytes(content)
        assert wal_damage(tmp_path / "log") is None


@pytest.mark.parametrize("place", range(32))
def test_each_byte_of_the_header_counts(log: Path, tmp_path: Path, place: int) -> None:
    content = bytearray(log.read_bytes())
    content[place] ^= 0x10
    (tmp_path / "copy").write_bytes(content)

    assert wal_damage(tmp_path / "copy") is not None


def test_garbage_is_damage(tmp_path: Path) -> None:
    for content in (bytes(4096), os.urandom(4096)):
        (tmp_path / "log").write_bytes(content)
        assert wal_damage(tmp_path / "log") == "it does not begin as a journal does"
