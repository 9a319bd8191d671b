"""Whoever else may write to a plugin's folder may exchange it at any time."""

import os
from pathlib import Path

import pytest

from extensions.plugins.packages.folder_writers import open_folder_warning


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o555])
def test_a_folder_that_only_its_owner_writes_to_is_fine(tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)

    assert open_folder_warning(tmp_path) is None


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o702, 0o757])
def test_one_that_all_may_write_to_is_said_with_the_mend(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "my plugins"
    folder.mkdir()
    folder.chmod(mode)

    assert open_folder_warning(folder) == (
        f"others may write to {folder}: `chmod go-w '{folder}'` keeps them from it"
    )


def test_what_is_not_there_is_nobodys(tmp_path: Path) -> None:
    assert open_folder_warning(tmp_path / "gone") is None
    assert open_folder_warning(tmp_path / ("a" * 300)) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders away")
def test_what_belongs_to_others_is_said(tmp_path: Path) -> None:
    folder, shared = tmp_path / "theirs", tmp_path / "shared"
    for each in (folder, shared):
        each.mkdir(mode=0o770)
        each.chmod(0o770)
    os.chown(folder, 12345, -1)
    os.chown(shared, -1, 12345)

    theirs = open_folder_warning(folder)
    assert theirs == f"another user owns {folder}, and may write to it: `chown -R $USER {folder}`"
    assert (open_folder_warning(shared) or "").startswith(f"others may write to {shared}: ")
