"""What is kept of installed plugins, as a file that people can read."""

import os
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from extensions.plugins.packages.errors import PackagesFileError
from extensions.plugins.packages.packages_file import (
    FILE_NAME,
    Package,
    Packages,
    packages_of_text,
    text_of_packages,
)
from extensions.plugins.packages.packages_store import read_packages, write_packages

DICE = Package(
    id="dice",
    version="1.0.0",
    source="npm:@me/dice",
    resolved="npm:@me/dice@1.0.0",
    integrity="sha512-abc==",
    hash="sha256:" + "0" * 64,
    at="2026-01-01T00:00:00+00:00",
)
LINK = Package(
    id="todo",
    version="2",
    source="path:/srv/to do",
    resolved="path:/srv/to do",
    at="2026-01-01T00:00:00+00:00",
)


def test_it_is_read_as_it_was_written() -> None:
    packages = Packages(by_id={"dice": DICE, "todo": LINK}, disabled=frozenset({"dice", "gone"}))
    text = text_of_packages(packages)

    assert packages_of_text(text) == packages
    assert text.splitlines()[1:5] == [
        "version = 1",
        'disabled = ["dice", "gone"]',
        "",
        "[packages.dice]",
    ]


@pytest.mark.parametrize("text", ['"', "\\", "\n\t\x00\x7f\u202e", "é😀"])
def test_whatever_a_manifest_calls_its_version_it_is_kept(text: str) -> None:
    written = text_of_packages(Packages().with_package(replace(DICE, version=text)))

    assert tomllib.loads(written)["packages"]["dice"]["version"] == text
    assert written.isascii()


def test_a_plugin_is_disabled_enabled_and_forgotten() -> None:
    kept = Packages().with_package(DICE).enabling("dice", is_enabled=False)

    assert kept.disabled == {"dice"}
    assert kept.enabling("dice", is_enabled=True).disabled == frozenset()
    assert kept.without("dice") == Packages()


def test_where_a_link_leads_is_known() -> None:
    assert LINK.linked_folder == Path("/srv/to do")
    assert DICE.linked_folder is None


@pytest.mark.parametrize(
    "text",
    [
        "version = 2",
        "",
        "version = 1\ndisabled = 'dice'",
        "version = 1\ndisabled = ['../x']",
        "version = 1\ndisabled = [1]",
        "version = 1\n[packages]\ndice = 1",
        "version = 1\n[packages.'../x']\nversion = '1'\nsource = 'npm:x'\nresolved = ''\nat = ''",
        "version = 1\n[packages.dice]\nversion = '1'",
        "version = 1\n[packages.dice]\nversion = 1\nsource = 'npm:x'\nresolved = ''\nat = ''",
        "version = 1\n[packages.dice]\nversion = '1'\nsource = 'ext::x'\nresolved = ''\nat = ''",
        "nonsense",
    ],
)
def test_what_is_no_such_file_is_not_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "packages.lock.toml").write_text(text)

    with pytest.raises(PackagesFileError, match="is not as `papercup plugin` writes it"):
        read_packages(tmp_path)


def test_where_nothing_was_installed_nothing_is_kept(tmp_path: Path) -> None:
    assert read_packages(tmp_path / "nowhere") == Packages()


def test_it_is_written_for_its_owner_alone_and_whole(tmp_path: Path) -> None:
    root = tmp_path / "plugins"
    write_packages(root, Packages().with_package(DICE))

    assert read_packages(root) == Packages(by_id={"dice": DICE})
    assert (root.stat().st_mode & 0o777, [each.name for each in root.iterdir()]) == (
        0o700,
        ["packages.lock.toml"],
    )


def test_where_it_cannot_be_kept_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "plugins").write_text("a file")
    (tmp_path / "folder" / "packages.lock.toml").mkdir(parents=True)

    with pytest.raises(PackagesFileError, match="cannot be written"):
        write_packages(tmp_path / "plugins", Packages())
    with pytest.raises(PackagesFileError, match="cannot be read"):
        read_packages(tmp_path / "folder")


def test_a_pipe_in_its_place_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / FILE_NAME)

    with pytest.raises(PackagesFileError, match="it is no file"):
        read_packages(tmp_path)


def test_what_is_too_long_is_not_read_in_part(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("version = 1\n" + "#" * (4 << 20))

    with pytest.raises(PackagesFileError, match="it is too long"):
        read_packages(tmp_path)
