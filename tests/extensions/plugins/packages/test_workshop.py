"""Plugins are put in their places whole, or not at all, whatever ends the program."""

from pathlib import Path

import pytest

from extensions.plugins.packages.errors import PlacingError
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


def test_what_a_program_left_that_was_killed_is_put_back_or_removed(tmp_path: Path) -> None:
    _plugin(tmp_path / ".staging-killed/old/dice", "replaced halfway")
    _plugin(tmp_path / ".staging-other/old/todo", "older")
    _plugin(tmp_path / ".staging-other/new/todo", "half")
    _plugin(tmp_path / "todo", "in place")

    with open_workshop(tmp_path):
        pass

    assert _stands(tmp_path) == {"dice": "replaced halfway", "todo": "in place"}
    assert list(tmp_path.glob(".staging*")) == []


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
