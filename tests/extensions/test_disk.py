import errno
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from extensions.disk import has_room, is_disk_full, write_atomically
from tests.fakes.small_disk import fill, make_room, small_disk


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk") as folder:
        yield folder


def test_a_file_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"

    write_atomically(path, b"first")
    write_atomically(path, b"second")

    assert path.read_bytes() == b"second"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"first")
    (tmp_path / "file.tmp").mkdir()

    with pytest.raises(OSError, match="directory"):
        write_atomically(path, b"second")

    assert path.read_bytes() == b"first"


@pytest.mark.parametrize("is_pipe", [True, False])
def test_what_stands_where_it_is_written_at_first_is_replaced(
    tmp_path: Path,
    is_pipe: bool,  # noqa: FBT001 - a table
) -> None:
    path, temporary, other = (tmp_path / name for name in ("file", "file.tmp", "other"))
    if is_pipe:
        os.mkfifo(temporary)
    else:
        temporary.hardlink_to(_written(other))

    write_atomically(path, b"mine")

    assert path.read_bytes() == b"mine"
    assert path.is_file()
    assert not temporary.exists()
    assert is_pipe or other.read_bytes() == b"theirs"


def _written(path: Path) -> Path:
    path.write_bytes(b"theirs")
    return path


def test_on_a_full_disk_the_file_stays_as_it_was_and_no_part_of_the_new_one(disk: Path) -> None:
    path = disk / "file"
    write_atomically(path, b"first")
    fill(disk)

    with pytest.raises(OSError, match="No space left") as caught:
        write_atomically(path, b"second" * 10_000)

    assert is_disk_full(caught.value)
    assert not has_room(disk)
    assert path.read_bytes() == b"first"
    assert sorted(found.name for found in disk.iterdir()) == ["file", "filler"]

    make_room(disk)
    assert has_room(disk)
    write_atomically(path, b"second")
    assert path.read_bytes() == b"second"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (OSError(errno.EDQUOT, "Quota exceeded"), True),
        (OSError(errno.EACCES, "Permission denied"), False),
        (sqlite3.OperationalError("raised by the module itself"), False),
        (ValueError("disk is full"), False),
    ],
)
def test_other_errors_are_told_from_a_full_disk(error: Exception, *, expected: bool) -> None:
    assert is_disk_full(error) is expected
