"""Plugins that are copied from a folder."""

import contextlib
import os
import socket
from pathlib import Path

import pytest

from extensions.plugins.packages.copying import copy_tree
from extensions.plugins.packages.errors import BadPackageError
from extensions.plugins.packages.progress import Progress
from extensions.plugins.tree_hash import hash_tree


def _copied(source: Path, tmp_path: Path) -> Path:
    target = tmp_path / "target"
    target.mkdir()
    copy_tree(source, target, tell=lambda _progress: None)
    return target


def _plugin(folder: Path) -> Path:
    (folder / "src").mkdir(parents=True)
    (folder / "plugin.toml").write_text("x")
    (folder / "src/run").write_text("#!/bin/sh")
    (folder / "src/run").chmod(0o755)
    return folder


def test_all_of_it_is_copied_with_what_may_be_executed_and_its_own_links(tmp_path: Path) -> None:
    source = _plugin(tmp_path / "dice")
    (source / "start").symlink_to("src/run")
    target = _copied(source, tmp_path)

    assert hash_tree(target) == hash_tree(source)
    assert (target / "start").readlink() == Path("src/run")


def test_what_is_its_authors_alone_stays_behind(tmp_path: Path) -> None:
    source = _plugin(tmp_path / "dice")
    for name in (".git/config", ".venv/bin/python", "src/__pycache__/run.pyc", "src/.git/x"):
        (source / name).parent.mkdir(parents=True)
        (source / name).touch()
    target = _copied(source, tmp_path)

    assert sorted(str(each.relative_to(target)) for each in target.rglob("*")) == [
        "plugin.toml",
        "src",
        "src/.git",
        "src/.git/x",
        "src/run",
    ]


@pytest.mark.parametrize("to", ["/etc/passwd", "../other", "src/../../other", "gone/../../../x"])
def test_a_link_that_leads_elsewhere_is_refused_by_its_name(tmp_path: Path, to: str) -> None:
    source = _plugin(tmp_path / "dice")
    (tmp_path / "other").touch()
    (source / "out").symlink_to(to)

    with pytest.raises(BadPackageError, match=r"^out is a link that leads out"):
        _copied(source, tmp_path)


def test_a_link_to_its_own_folder_by_an_absolute_path_is_refused(tmp_path: Path) -> None:
    source = _plugin(tmp_path / "dice")
    (source / "in").symlink_to(source / "src")

    with pytest.raises(BadPackageError, match=r"^in is a link"):
        _copied(source, tmp_path)


def test_a_pipe_does_not_keep_anybody_waiting(tmp_path: Path) -> None:
    source = _plugin(tmp_path / "dice")
    os.mkfifo(source / "pipe")

    with pytest.raises(BadPackageError, match=r"^pipe is neither a file"):
        _copied(source, tmp_path)


def test_a_setuid_bit_is_refused(tmp_path: Path) -> None:
    source = _plugin(tmp_path / "dice")
    (source / "src/run").chmod(0o4755)

    with pytest.raises(BadPackageError, match=r"^src/run would run as another user"):
        _copied(source, tmp_path)


def test_a_socket_is_refused(tmp_path: Path) -> None:
    source = _plugin(tmp_path / "dice")

    with socket.socket(socket.AF_UNIX) as one:
        with contextlib.chdir(source):
            one.bind("socket")
        with pytest.raises(BadPackageError, match=r"^socket is neither a file"):
            _copied(source, tmp_path)


def test_what_goes_wrong_where_it_is_written_is_not_blamed_on_the_source(tmp_path: Path) -> None:
    source = _plugin(tmp_path / "dice")
    (tmp_path / "target").mkdir()
    (tmp_path / "target/plugin.toml").touch()

    with pytest.raises(FileExistsError):
        copy_tree(source, tmp_path / "target", tell=lambda _progress: None)


def test_a_folder_that_is_exchanged_for_a_link_meanwhile_is_not_followed(tmp_path: Path) -> None:
    source = _plugin(tmp_path / "dice")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/run").write_text("key")
    (tmp_path / "target").mkdir()

    def exchange(_progress: Progress) -> None:
        # It is told right after the first entry, when the folder has been listed.
        if not (source / "src").is_symlink():
            (source / "src").rename(tmp_path / "src")
            (source / "src").symlink_to(tmp_path / "secret")

    with pytest.raises(BadPackageError, match=r"^src cannot be read: "):
        copy_tree(source, tmp_path / "target", tell=exchange)
    assert not (tmp_path / "target/src/run").exists()


def test_a_source_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadPackageError, match=r"/gone cannot be read: No such file"):
        _copied(tmp_path / "gone", tmp_path)


def test_folders_without_end_are_given_up(tmp_path: Path) -> None:
    (tmp_path / "dice" / ("a/" * 70)).mkdir(parents=True)

    with pytest.raises(BadPackageError, match="stands in too many folders: 64 are the most"):
        _copied(tmp_path / "dice", tmp_path)
