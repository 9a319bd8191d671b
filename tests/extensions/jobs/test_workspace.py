import stat
from pathlib import Path

import pytest

from extensions.jobs.workspace import Workspace


def test_a_job_gets_a_folder_that_only_its_owner_can_enter(tmp_path: Path) -> None:
    folder = Workspace(tmp_path / "extensions").prepare("8d08ba4f")

    assert folder == tmp_path / "extensions" / "8d08ba4f"
    assert folder.is_absolute()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700


def test_what_is_in_a_folder_already_is_kept(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    (workspace.prepare("8d08ba4f") / "hello.txt").write_text("hi")

    assert (workspace.prepare("8d08ba4f") / "hello.txt").read_text() == "hi"


def test_something_else_in_its_place_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "8d08ba4f").write_text("a file")

    with pytest.raises(FileExistsError):
        Workspace(tmp_path).prepare("8d08ba4f")
