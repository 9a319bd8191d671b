"""Plugins are put in their places whole, or not at all, whatever ends the program."""

import shutil
from pathlib import Path

import pytest

from extensions.plugins.packages.errors import PlacingError
from extensions.plugins.packages.packages_file import FILE_NAME
from extensions.plugins.packages.workshop import open_workshop


def _plugin(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "plugin.toml").write_text(text)
    return folder


def _stands(root: Path) -> dict[str, str]:
    return {each.parent.name: each.read_text() for each in root.glob("*/plugin.toml")}


def test_a_folder_is_put_in_its_place_and_nothing_else_is_left(tmp_path: Path) -> None:
    with open_workshop(tmp_path / "plugins") as workshop:
        new = _plugin(workshop.make("new") / "dice", "one")
        with workshop.placing(new, "dice"):
            assert _stands(workshop.root) == {"dice": "one"}

    names = sorted(each.name for each in (tmp_path / "plugins").iterdir())
    assert names == [".packages.lock", "dice"]
    assert (tmp_path / "plugins").stat().st_mode & 0o777 == 0o700


def test_one_that_is_replaced_is_gone(tmp_path: Path) -> None:
    _plugin(tmp_path / "dice", "old")
    with (
        open_workshop(tmp_path) as workshop,
        workshop.placing(_plugin(workshop.make("new") / "dice", "new"), "dice"),
    ):
        pass

    assert _stands(tmp_path) == {"dice": "new"}


@pytest.mark.parametrize("takes_away", [True, False])
def test_what_fails_afterwards_puts_back_what_was_there(
    tmp_path: Path, *, takes_away: bool
) -> None:
    _plugin(tmp_path / "dice", "old")

    def fail() -> None:
        with open_workshop(tmp_path) as workshop:
            new = None if takes_away else _plugin(workshop.make("new") / "dice", "new")
            with workshop.placing(new, "dice"):
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()

    assert _stands(tmp_path) == {"dice": "old"}


class _Killed:
    """What is left of a program that was ended at some instant."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def take(self, root: Path) -> None:
        self.count += 1
        shutil.copytree(root, self.folder / str(self.count), symlinks=True)

    def mended(self) -> list[tuple[dict[str, str], str | None]]:
        """Return what stands in each after somebody has worked there next, and what is kept."""
        found = list[tuple[dict[str, str], str | None]]()
        for number in range(1, self.count + 1):
            root = self.folder / str(number)
            with open_workshop(root):
                pass
            assert list(root.glob(".staging*")) == []
            kept = root / FILE_NAME
            found.append((_stands(root), kept.read_text() if kept.exists() else None))
        return found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (({"dice": "old", "todo": "x"}, "old"), ({"dice": "new", "todo": "x"}, "new")),
        (({"todo": "x"}, "old"), ({"dice": "new", "todo": "x"}, "new")),
        (({}, None), ({"dice": "new"}, "new")),
        (({"dice": "old"}, "old"), ({}, "new")),
    ],
    ids=["update", "install", "first install", "remove"],
)
def test_whenever_it_is_killed_all_is_as_before_or_as_after(
    tmp_path: Path,
    before: tuple[dict[str, str], str | None],
    after: tuple[dict[str, str], str | None],
) -> None:
    root, killed = tmp_path / "plugins", _Killed(tmp_path / "killed")
    root.mkdir()
    for name, text in before[0].items():
        _plugin(root / name, text)
    if before[1] is not None:
        (root / FILE_NAME).write_text(before[1])

    with open_workshop(root) as workshop:
        new = _plugin(workshop.make("new") / "dice", "new") if "dice" in after[0] else None
        killed.take(root)
        with workshop.placing(new, "dice"):
            killed.take(root)
            # That may come between putting the folder and writing what is kept, or after both.
            (root / FILE_NAME).write_text("new")
            killed.take(root)
        killed.take(root)

    assert killed.mended() == [before, before, before, after]


def test_what_was_only_begun_to_be_put_back_is_put_back(tmp_path: Path) -> None:
    _plugin(tmp_path / ".staging-1/undo/old/dice", "old")
    _plugin(tmp_path / ".staging-1/failed1/dice", "new")
    (tmp_path / ".staging-1/undo/new").mkdir()
    (tmp_path / ".staging-1/undo/new/todo").touch()
    _plugin(tmp_path / "todo", "new")
    _plugin(tmp_path / ".staging-2/undo-dice/old/dice", "half written down")

    with open_workshop(tmp_path):
        pass

    assert _stands(tmp_path) == {"dice": "old"}
    assert list(tmp_path.glob(".staging*")) == []


def test_what_others_have_written_there_moves_nothing_else_about(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "home/project/plugins"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/id_rsa").write_text("key")
    (home / ".ssh/known").write_text("host")
    for number, link in enumerate((".", "undo", "undo/old", "undo/new")):
        place = root / f".staging-{number}" / link
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(home / ".ssh")
    (root / ".staging-9/undo/old/..x").mkdir(parents=True)

    with open_workshop(root):
        pass

    assert sorted(each.name for each in (home / ".ssh").iterdir()) == ["id_rsa", "known"]
    assert sorted(each.name for each in root.iterdir()) == [".packages.lock", ".staging-0"]


def test_two_do_not_work_there_at_once(tmp_path: Path) -> None:
    with (
        open_workshop(tmp_path),
        pytest.raises(PlacingError, match="another `papercup plugin` is at work"),
        open_workshop(tmp_path),
    ):
        pass


def test_where_nothing_can_be_written_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "plugins").touch()

    with (
        pytest.raises(PlacingError, match="plugins cannot be written: File exists"),
        open_workshop(tmp_path / "plugins"),
    ):
        pass
