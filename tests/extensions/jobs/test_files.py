import os
from pathlib import Path

import pytest

from extensions.jobs.files import (
    NO_SUCH_FILE,
    NOT_A_FILE,
    NOT_OWN,
    JobFile,
    NotRead,
    read_job_files,
    read_own_file,
)


def paths_read(folder: Path, *, most_files: int = 10, most_bytes: int = 1000) -> list[str]:
    found = read_job_files(folder, most_files=most_files, most_bytes=most_bytes)
    return [file.path for file in found.files]


def test_regular_files_are_read_with_their_paths_in_order(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("a")
    (tmp_path / "b.txt").write_text("b")

    found = read_job_files(tmp_path, most_files=10, most_bytes=100)

    assert found.files == (
        JobFile(path="b.txt", content=b"b"),
        JobFile(path="src/a.py", content=b"a"),
    )


def test_links_pipes_and_hidden_files_are_passed_over(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("key")
    job = tmp_path / "job"
    (job / ".git").mkdir(parents=True)
    (job / ".git" / "config").write_text("x")
    (job / "link").symlink_to(secret)
    (job / "folder").symlink_to(tmp_path)
    os.mkfifo(job / "pipe")
    (job / "real").write_text("r")

    assert paths_read(job) == ["real"]


def test_a_sparse_file_is_left_out_unread_and_named(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(10 * 1024**3)
    (tmp_path / "small").write_text("s")

    found = read_job_files(tmp_path, most_files=10, most_bytes=100)

    assert ([f.path for f in found.files], found.left_out) == (["small"], ("huge",))


@pytest.mark.parametrize(("most_files", "read"), [(1, ["a"]), (2, ["a", "b"])])
def test_only_so_many_are_taken(tmp_path: Path, most_files: int, read: list[str]) -> None:
    for name in "abc":
        (tmp_path / name).write_text(name)

    assert paths_read(tmp_path, most_files=most_files) == read


def test_the_files_together_stay_below_the_limit(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_bytes(b"x" * 60)

    assert paths_read(tmp_path, most_bytes=100) == ["a"]


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert paths_read(tmp_path / "gone") == []


def test_odd_names_are_made_fit_to_be_shown(tmp_path: Path) -> None:
    for name in (b"a`b\n.txt", b"\xff\xfe", b"x" * 200):
        (tmp_path / os.fsdecode(name)).write_text("1")

    assert paths_read(tmp_path) == ["a_b_.txt", "x" * 100, "__"]


def test_folders_without_end_are_not_followed_to_it(tmp_path: Path) -> None:
    (tmp_path / "top.txt").write_text("1")
    inner = tmp_path
    for _ in range(300):
        inner = inner / "d"
        inner.mkdir()
    (inner / "deep.txt").write_text("1")

    assert paths_read(tmp_path) == ["top.txt"]


@pytest.fixture
def own_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_bytes(b"print(1)")
    (tmp_path / "secret").write_text("key")
    return folder


@pytest.mark.parametrize("path", ["src/a.py", "./src//a.py", "{folder}/src/a.py"])
def test_an_own_file_is_read_however_its_path_is_put(own_folder: Path, path: str) -> None:
    assert read_own_file(own_folder, path.format(folder=own_folder), most_bytes=8) == b"print(1)"


@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "src/../../secret",
        "{folder}/../secret",
        "/etc/passwd",
        "{folder}er/a",
        "x" * 300,
    ],
)
def test_no_file_outside_the_folder_is_read(own_folder: Path, path: str) -> None:
    assert read_own_file(own_folder, path.format(folder=own_folder), most_bytes=100) == NOT_OWN


@pytest.mark.parametrize("path", ["link", "folder/secret", "loop/x", "src/a.py/x"])
def test_no_link_is_followed_to_read_a_file(own_folder: Path, path: str) -> None:
    (own_folder / "link").symlink_to(own_folder.parent / "secret")
    (own_folder / "folder").symlink_to(own_folder.parent)
    (own_folder / "loop").symlink_to(own_folder / "loop")

    assert read_own_file(own_folder, path, most_bytes=100) == NOT_OWN


def test_what_is_no_regular_file_is_not_read_and_holds_nobody_up(own_folder: Path) -> None:
    os.mkfifo(own_folder / "pipe")

    for path in ("pipe", "src", ".", str(own_folder)):
        assert read_own_file(own_folder, path, most_bytes=100) == NOT_A_FILE


def test_a_file_that_is_not_there_or_too_large_is_named_so(own_folder: Path) -> None:
    assert read_own_file(own_folder, "b.py", most_bytes=100) == NO_SUCH_FILE
    assert read_own_file(own_folder / "gone", "b.py", most_bytes=100) == NO_SUCH_FILE
    assert read_own_file(own_folder, "src/a.py", most_bytes=7) == NotRead(
        "the file has 8 bytes, and may have 7"
    )
