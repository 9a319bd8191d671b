"""Environments are made where they belong, of what was looked at, and nothing else is removed."""

import hashlib
from pathlib import Path

import pytest

from extensions.plugins.packages.environments import FOLDER_NAME, python_place
from extensions.plugins.packages.errors import BadPackageError, FetchError, PlacingError
from extensions.plugins.packages.python_packages import (
    EnvironmentWish,
    PythonTerms,
    held_to,
    make_environment,
    pin_requirements,
    remove_unused_environments,
)
from extensions.plugins.packages.python_requirements import wanted_requirements
from tests.fakes.package_archives import wheel
from tests.fakes.package_programs import with_uv
from tests.fakes.package_registries import serving_registries


def _terms(home: Path, index: str = "http://127.0.0.1:1") -> PythonTerms:
    home.mkdir()
    return PythonTerms(index=index, home=home, environment={"PATH": with_uv()})


def _wish(root: Path, folder: Path | None = None) -> EnvironmentWish:
    return EnvironmentWish(root=root, plugin_id="dice", folder=folder or root)


def test_what_a_link_in_a_project_leads_to_is_not_removed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "thesis").mkdir(parents=True)
    root = tmp_path / "plugins"
    root.mkdir()
    (root / FOLDER_NAME).symlink_to(home)

    remove_unused_environments(root)

    assert (home / "thesis").is_dir()


def test_only_folders_that_are_no_links_are_taken_for_environments(tmp_path: Path) -> None:
    every = tmp_path / FOLDER_NAME
    (every / "dice-0123456789abcdef/bin").mkdir(parents=True)
    (every / "note").touch()
    (tmp_path / "elsewhere").mkdir()
    (every / "link").symlink_to(tmp_path / "elsewhere")

    remove_unused_environments(tmp_path)

    assert sorted(each.name for each in every.iterdir()) == ["link", "note"]
    assert (tmp_path / "elsewhere").is_dir()


def test_no_environment_is_made_behind_a_link(tmp_path: Path) -> None:
    plugin = tmp_path / "plugins/dice"
    plugin.mkdir(parents=True)
    (plugin / "papercup-requirements.txt").write_text("chance==1.0\n")
    (tmp_path / "elsewhere").mkdir()
    (plugin.parent / FOLDER_NAME).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(PlacingError, match=r"\.environments is a link, and no environment is"):
        make_environment(_wish(plugin.parent, plugin), _terms(tmp_path / "uv"))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_plugin_runs_the_wheel_that_it_was_unpacked_from(tmp_path: Path) -> None:
    own, other = (wheel("dice", "1.0", {"dice.py": body}) for body in (b"own", b"other"))
    integrity = f"sha256:{hashlib.sha256(own).hexdigest()}"
    with serving_registries() as registries:
        names = ("dice-1.0-py3-none-any.whl", "dice-1.0-1-py3-none-any.whl")
        registries.add_pypi("dice", dict(zip(names, (own, other), strict=True)))
        terms = _terms(tmp_path / "uv", registries.url)
        pin_requirements(
            tmp_path, ["dice==1.0"], terms, lambda _progress: None, own_integrity=integrity
        )
        make_environment(_wish(tmp_path), terms)

    assert (tmp_path / "papercup-requirements.txt").read_text() == (
        f"dice==1.0 \\\n    --hash={integrity}\n"
    )
    installed = tmp_path.glob(f"{FOLDER_NAME}/dice-*/lib/*/site-packages/dice.py")
    assert [each.read_bytes() for each in installed] == [b"own"]


def test_a_file_where_an_environment_goes_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "papercup-requirements.txt").touch()
    place = python_place(tmp_path, "dice", b"")
    place.folder.parent.mkdir()
    place.folder.touch()

    remove_unused_environments(tmp_path)
    assert make_environment(_wish(tmp_path), _terms(tmp_path / "uv"))

    assert place.is_ready


def test_a_file_where_all_environments_go_is_said(tmp_path: Path) -> None:
    (tmp_path / "papercup-requirements.txt").touch()
    (tmp_path / FOLDER_NAME).touch()

    remove_unused_environments(tmp_path)
    with pytest.raises(PlacingError, match=r"\.environments is no folder, so no environment"):
        make_environment(_wish(tmp_path), _terms(tmp_path / "uv"))


def test_an_environment_that_cannot_be_made_leaves_the_one_that_is_there(tmp_path: Path) -> None:
    body = wheel("chance", "1.0", {"chance.py": b""})
    pinned = f"chance==1.0 --hash=sha256:{hashlib.sha256(body).hexdigest()}\n".encode()
    (tmp_path / "papercup-requirements.txt").write_bytes(pinned)
    place = python_place(tmp_path, "dice", pinned)
    place.folder.mkdir(parents=True)
    (place.folder / "changed").touch()

    with serving_registries() as registries, pytest.raises(FetchError, match="chance"):
        make_environment(_wish(tmp_path), _terms(tmp_path / "uv", registries.url))

    assert [each.name for each in place.folder.iterdir()] == ["changed"]


def test_what_else_is_pinned_stays_as_it_is() -> None:
    pinned = (
        "chance==2.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"
        "my-dice==1.0 ; sys_platform == 'linux' \\\n    --hash=sha256:bb \\\n    --hash=sha256:cc\n"
        "my-dice-more==1.0 \\\n    --hash=sha256:bb \\\n    --hash=sha256:dd\n"
    )

    assert held_to(pinned, "My_Dice==1.0", "sha256:bb") == pinned.replace(
        "    --hash=sha256:bb \\\n    --hash=sha256:cc\n", "    --hash=sha256:bb\n"
    )


def test_a_wheel_that_the_index_has_no_more_is_not_installed() -> None:
    with pytest.raises(BadPackageError, match=r"^the index has another dice==1\.0 by now"):
        held_to("dice==1.0 \\\n    --hash=sha256:aa\n", "dice==1.0", "sha256:bb")


def test_requirements_that_are_too_long_are_not_read_in_part(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("chance\n" + "#" * (4 << 20))

    with pytest.raises(BadPackageError, match=r"^requirements\.txt is too long"):
        wanted_requirements(tmp_path)
