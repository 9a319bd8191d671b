import os
from pathlib import Path

import pytest

from extensions.jobs.files import JobFile, read_job_files


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
