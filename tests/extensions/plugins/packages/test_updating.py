"""Plugins are updated, linked and taken out again, and what was there is not lost."""

import os
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from extensions.plugins.packages.enabling import set_enabled
from extensions.plugins.packages.environments import look_at_environment, python_place_of
from extensions.plugins.packages.errors import (
    BadIdError,
    BadPackageError,
    FetchError,
    LocalChangesError,
    PackageError,
    PackagesFileError,
    SourceError,
    TargetExistsError,
    UnknownPackageError,
)
from extensions.plugins.packages.installing import install, link, remove, update
from extensions.plugins.packages.packages_file import Packages
from extensions.plugins.packages.sources import read_source
from extensions.plugins.tree_hash import TreeHash, hash_tree
from tests.fakes.package_archives import plugin_files, tgz, wheel
from tests.fakes.package_house import PackageHouse
from tests.fakes.package_programs import with_uv
from tests.fakes.package_registries import serving_registries


@pytest.fixture
def house(tmp_path: Path) -> Generator[PackageHouse]:
    with serving_registries() as registries:
        yield PackageHouse(tmp_path, registries)


def _tree_of(folder: Path) -> str:
    found = hash_tree(folder)
    assert isinstance(found, TreeHash)
    return found.text


def test_packages_that_were_changed_are_brought_anew_by_an_update(house: PackageHouse) -> None:
    source = house.write("mine", {**plugin_files(), "requirements.txt": b"chance"})
    body = wheel("chance", "1.0", {"chance.py": b"SIDES = 6\n"})
    house.registries.add_pypi("chance", {"chance-1.0-py3-none-any.whl": body})
    fetching = replace(house.terms.fetching, environment={"PATH": with_uv()})
    terms = replace(house.terms, fetching=fetching)
    place = python_place_of(install(read_source(f"path:{source}"), terms).path)
    assert place is not None
    (module,) = place.folder.glob("lib/*/site-packages/chance.py")
    module.write_bytes(b"SIDES = 60\n")
    changed = look_at_environment(place)

    same = update("dice", terms)

    assert changed is not None
    assert not changed.is_as_made
    assert not same.has_changed
    assert module.read_bytes() == b"SIDES = 6\n"
    mended = look_at_environment(place)
    assert mended is not None
    assert (mended.is_as_made, mended.made) == (True, changed.made)


def test_a_plugin_that_is_linked_stays_where_it_is(house: PackageHouse) -> None:
    source = house.write("mine", plugin_files())
    (source / "sh").symlink_to("/bin/sh")

    done = link(source, house.terms)

    assert (done.path, done.package.linked_folder) == (source, source)
    assert done.warnings == (
        "it cannot be trusted: sh is a link that leads out of the plugin's folder",
    )
    assert house.names == ["packages.lock.toml"]
    with pytest.raises(SourceError, match=r"is a link to .*: it is always as new"):
        update("dice", house.terms)
    (source / "sh").unlink()
    with pytest.raises(TargetExistsError):
        house.install(f"path:{source}")

    assert remove("dice", house.terms).path == source
    assert (source / "main.py").is_file()
    assert house.kept == Packages()


@pytest.mark.parametrize("path", ["mine/main.py", "nowhere"])
def test_only_a_folder_can_be_linked(house: PackageHouse, path: str) -> None:
    house.write("mine", plugin_files())

    with pytest.raises(SourceError, match=f"{path} is no folder, so there is no link"):
        link(house.folder / path, house.terms)


def test_what_was_changed_in_its_place_is_not_lost_unasked(house: PackageHouse) -> None:
    source = house.write("mine", plugin_files())
    house.install(f"path:{source}")
    (house.root / "dice/main.py").write_text("changed here")
    house.write("mine", plugin_files(version="2.0.0"))

    with pytest.raises(LocalChangesError, match=r"/dice was changed since .*; with --yes that is"):
        update("dice", house.terms)
    assert (house.root / "dice/main.py").read_text() == "changed here"

    assert update("dice", house.terms, loses_changes=True).has_changed
    assert (house.root / "dice/main.py").read_text() == "print('rolled')\n"


def test_what_nobody_could_vouch_for_is_replaced_only_if_that_is_said(house: PackageHouse) -> None:
    source = house.write("mine", plugin_files())
    house.install(f"path:{source}")
    pipe = house.root / "dice/pipe"
    os.mkfifo(pipe)

    with pytest.raises(LocalChangesError, match=r"/dice was changed since .*; with --yes that is"):
        update("dice", house.terms)
    assert pipe.is_fifo()

    assert update("dice", house.terms, loses_changes=True).has_changed
    assert not pipe.exists()


def test_an_update_that_fails_leaves_what_was_there(house: PackageHouse) -> None:
    house.registries.add_npm("dice", {"1.0.0": tgz(plugin_files())})
    before = house.install("npm:dice").package

    for body in (b"no archive", tgz({"README": b""}), tgz(plugin_files("other"))):
        house.registries.add_npm("dice", {"2.0.0": body})
        with pytest.raises(PackageError):
            update("dice", house.terms)
    house.registries.files.clear()
    with pytest.raises(FetchError, match="has no package dice"):
        update("dice", house.terms)

    assert house.kept.by_id["dice"] == before
    assert _tree_of(house.root / "dice") == before.hash


def test_what_cannot_be_written_down_is_not_put_in_place(house: PackageHouse) -> None:
    house.registries.add_npm("dice", {"1.0.0": tgz(plugin_files())})
    before = house.install("npm:dice").package
    house.registries.add_npm("dice", {"2.0.0": tgz(plugin_files(version="2.0.0"))})
    # It is where the new one would be written at first.
    (house.root / "packages.lock.toml.tmp").mkdir()

    with pytest.raises(PackagesFileError, match="cannot be written"):
        update("dice", house.terms)
    with pytest.raises(PackagesFileError, match="cannot be written"):
        remove("dice", house.terms)

    assert _tree_of(house.root / "dice") == before.hash


def test_what_is_gone_is_brought_back_by_an_update(house: PackageHouse) -> None:
    source = house.write("mine", plugin_files())
    done = house.install(f"path:{source}")
    for each in done.path.iterdir():
        each.unlink()
    done.path.rmdir()

    assert update("dice", house.terms).has_changed
    assert _tree_of(done.path) == done.package.hash


def test_a_folder_that_holds_all_plugins_cannot_be_one(house: PackageHouse) -> None:
    house.write(".", plugin_files())

    with pytest.raises(BadPackageError, match="holds the folder to which it would be copied"):
        house.install(f"path:{house.folder}")


def test_a_folder_that_holds_all_plugins_cannot_be_one_wherever_a_link_leads(
    house: PackageHouse,
) -> None:
    house.write("real", plugin_files())
    (house.folder / "alias").symlink_to("real")
    terms = replace(house.terms, root=house.folder / "alias/plugins")

    with pytest.raises(BadPackageError, match="holds the folder to which it would be copied"):
        install(read_source(f"path:{house.folder}/real"), terms)


@pytest.mark.parametrize(
    ("name", "error"), [("../x", BadIdError), ("Dice", BadIdError), ("gone", UnknownPackageError)]
)
def test_what_was_not_installed_cannot_be_updated_or_removed(
    house: PackageHouse, name: str, error: type[Exception]
) -> None:
    for change in (update, remove):
        with pytest.raises(error):
            change(name, house.terms)


def test_a_plugin_is_disabled_and_enabled_wherever_it_is(house: PackageHouse) -> None:
    changes = [set_enabled("todo", house.root, is_enabled=each) for each in (False, False, True)]

    assert changes == [True, False, True]
    assert house.kept == Packages()
    with pytest.raises(BadIdError):
        set_enabled("../x", house.root, is_enabled=False)


def test_what_only_papercup_writes_is_not_taken_from_a_package(house: PackageHouse) -> None:
    files = {**plugin_files(), "papercup-requirements.txt": b"evil==1.0 --hash=sha256:00"}
    house.registries.add_npm("dice", {"1.0.0": tgz(files)})

    done = house.install("npm:dice")

    assert python_place_of(done.path) is None
    assert not (done.path / "papercup-requirements.txt").exists()


def test_a_folder_that_is_called_as_what_papercup_writes_is_refused(house: PackageHouse) -> None:
    files = {**plugin_files(), "papercup-requirements.txt/x": b""}
    house.registries.add_npm("dice", {"1.0.0": tgz(files)})

    with pytest.raises(BadPackageError) as caught:
        house.install("npm:dice")

    assert str(caught.value) == (
        "papercup-requirements.txt is a folder, and only Papercup writes what is called so"
    )


def test_it_is_said_if_others_may_write_to_where_a_plugin_goes(house: PackageHouse) -> None:
    source = house.write("mine", plugin_files())
    house.root.mkdir(mode=0o777)
    house.root.chmod(0o777)

    installed = house.install(f"path:{source}")
    same = update("dice", house.terms)
    remove("dice", house.terms)
    source.chmod(0o757)
    linked = link(source, house.terms)

    mend = f"others may write to {house.root}: `chmod go-w {house.root}` keeps them from it"
    assert installed.warnings == same.warnings == (mend,)
    assert linked.warnings == (
        f"others may write to {source}: `chmod go-w {source}` keeps them from it",
        mend,
    )
