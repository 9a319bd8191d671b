"""Plugins are installed from each kind of source."""

import os
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from extensions.plugins.packages.environments import python_place_of
from extensions.plugins.packages.errors import (
    BadPackageError,
    IdTakenError,
    TargetExistsError,
    UnknownPackageError,
)
from extensions.plugins.packages.installing import Installed, install, link, remove, update
from extensions.plugins.packages.packages_file import Package, Packages
from extensions.plugins.packages.sources import read_source
from extensions.plugins.tree_hash import TreeHash, hash_tree
from tests.fakes.git_server import serving_git
from tests.fakes.package_archives import file_entry, plugin_files, tgz, tgz_of, wheel
from tests.fakes.package_house import PackageHouse
from tests.fakes.package_programs import with_uv
from tests.fakes.package_registries import Registries, serving_registries


@pytest.fixture
def house(tmp_path: Path) -> Generator[PackageHouse]:
    with serving_registries() as registries:
        yield PackageHouse(tmp_path, registries)


def _tree_of(folder: Path) -> str:
    found = hash_tree(folder)
    assert isinstance(found, TreeHash)
    return found.text


def test_a_folder_is_installed_and_what_it_was_is_kept(house: PackageHouse) -> None:
    source = house.write("mine", plugin_files())

    done = house.install(f"path:{source}")

    assert done == Installed(
        package=Package(
            id="dice",
            version="1.0.0",
            source=f"path:{source}",
            resolved=f"path:{source}",
            hash=_tree_of(source),
            at="2026-01-01T00:00:00+00:00",
        ),
        path=house.root / "dice",
    )
    assert house.kept == Packages(by_id={"dice": done.package})
    assert house.names == ["dice", "packages.lock.toml"]
    assert _tree_of(house.root / "dice") == done.package.hash


def test_a_package_of_npm_is_installed_and_updated(house: PackageHouse) -> None:
    house.registries.add_npm("@me/dice", {"1.0.0": tgz(plugin_files())})
    first = house.install("npm:@me/dice")
    same = update("dice", house.terms)
    newer = {"1.0.0": tgz(plugin_files()), "1.1.0": tgz(plugin_files(version="1.1.0"))}
    house.registries.add_npm("@me/dice", newer)
    second = update("dice", house.terms)

    assert first.package.resolved == "npm:@me/dice@1.0.0"
    assert (first.package.integrity or "").startswith("sha512-")
    assert (same.has_changed, same.before) == (False, first.package)
    assert second.has_changed
    assert (second.package.source, second.package.resolved, second.package.version) == (
        "npm:@me/dice",
        "npm:@me/dice@1.1.0",
        "1.1.0",
    )
    assert house.kept.by_id["dice"] == second.package
    assert second.package.hash == _tree_of(house.root / "dice") != first.package.hash


def test_a_version_that_was_asked_for_stays(house: PackageHouse) -> None:
    versions = {each: tgz(plugin_files(version=each)) for each in ("1.0.0", "2.0.0")}
    house.registries.add_npm("dice", versions)
    house.install("npm:dice@1.0.0")

    assert not update("dice", house.terms).has_changed


def test_a_repository_is_installed_and_updated(house: PackageHouse, tmp_path: Path) -> None:
    with serving_git(tmp_path) as server:
        first = server.commit("dice", plugin_files())
        fetching = replace(house.terms.fetching, environment=server.environment)
        terms = replace(house.terms, fetching=fetching)
        source = read_source(f"git:{server.host}/dice")
        done = install(source, terms)
        second = server.commit("dice", plugin_files(version="2.0.0"))
        newer = update("dice", terms)

    assert done.package.resolved == f"{source}@{first}"
    assert (newer.package.resolved, newer.package.version) == (f"{source}@{second}", "2.0.0")


def test_a_wheel_is_installed_with_an_environment_of_its_own(house: PackageHouse) -> None:
    terms = replace(
        house.terms, fetching=replace(house.terms.fetching, environment={"PATH": with_uv()})
    )
    _offer_wheel(house.registries, "1.0.0")
    old = python_place_of(install(read_source("pypi:dice"), terms).path)
    _offer_wheel(house.registries, "1.1.0")
    newer = update("dice", terms)
    new = python_place_of(newer.path)

    assert (newer.package.resolved, newer.depends_on) == ("pypi:dice@1.1.0", ("dice==1.1.0",))
    assert sorted(each.name for each in newer.path.iterdir()) == [
        "extension.toml",
        "main.py",
        "papercup-requirements.txt",
    ]
    assert old is not None
    assert new is not None
    assert (old.folder.exists(), new.is_ready) == (False, True)
    assert [*new.folder.glob("lib/*/site-packages/dicer/main.py")]

    remove("dice", terms)
    assert not new.folder.exists()


def _offer_wheel(registries: Registries, version: str) -> None:
    files = plugin_files(version=version)
    body = wheel("dice", version, {f"dicer/{name}": each for name, each in files.items()})
    registries.add_pypi("dice", {f"dice-{version}-py3-none-any.whl": body})


def test_a_source_of_python_is_unpacked_and_not_built(house: PackageHouse) -> None:
    files = {**plugin_files(), "setup.py": b"raise SystemExit('built')"}
    house.registries.add_pypi("dice", {"dice-1.0.tar.gz": tgz(files, root="dice-1.0")})

    done = house.install("pypi:dice")

    assert (done.package.resolved, done.depends_on) == ("pypi:dice@1.0", ())
    assert (done.path / "setup.py").is_file()


def test_a_wheel_with_several_manifests_is_refused(house: PackageHouse) -> None:
    files = {f"{folder}/extension.toml": b"x" for folder in ("one", "two")}
    body = wheel("dice", "1.0", files)
    house.registries.add_pypi("dice", {"dice-1.0-py3-none-any.whl": body})

    with pytest.raises(BadPackageError, match="several manifests in it, and one is taken: one, tw"):
        house.install("pypi:dice")


def test_servers_without_a_manifest_are_called_as_their_package(house: PackageHouse) -> None:
    body = tgz({"mcp.toml": b"[[servers]]\nname = 'x'\ncommand = 'x'\n"})
    house.registries.add_npm("@me/my.servers", {"1.0.0": body})

    assert house.install("npm:@me/my.servers").package.id == "my-servers"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"README.md": b""}, "^npm:x@1.0.0 holds no manifest: `extension.toml`, "),
        ({"package.json": b'{"name": "requests"}'}, "^npm:x@1.0.0 holds no manifest: "),
        ({"plugin.toml/x": b""}, "^npm:x@1.0.0 holds no manifest: "),
        (plugin_files("../../x"), "x"),
        ({"extension.toml": b"nonsense"}, "failed to parse TOML"),
    ],
)
def test_what_is_no_plugin_is_not_installed(
    house: PackageHouse, files: dict[str, bytes], why: str
) -> None:
    house.registries.add_npm("x", {"1.0.0": tgz(files)})

    with pytest.raises(BadPackageError, match=why):
        house.install("npm:x")

    assert house.names == []


def test_a_folder_without_a_manifest_is_refused_before_it_is_copied(house: PackageHouse) -> None:
    source = house.write("mine", {"README.md": b""})
    # A copy would stumble over it.
    os.mkfifo(source / "pipe")

    why = f"^{source} holds no manifest: `extension.toml`, "
    with pytest.raises(BadPackageError, match=why):
        house.install(f"path:{source}")
    with pytest.raises(BadPackageError, match=why):
        link(source, house.terms)


def test_servers_beside_a_package_json_of_something_else_are_a_plugin(house: PackageHouse) -> None:
    servers = b"[[servers]]\nname = 'x'\ncommand = 'x'\n"
    source = house.write("mine", {"package.json": b"{}", "mcp.toml": servers})

    assert house.install(f"path:{source}").package.id == "mine"


def test_a_manifest_that_cannot_be_read_is_not_taken_for_a_missing_one(house: PackageHouse) -> None:
    source = house.write("mine", {})
    (source / "extension.toml").symlink_to("gone")

    with pytest.raises(BadPackageError, match="failed to canonicalize manifest"):
        house.install(f"path:{source}")


def test_a_hostile_archive_leaves_nothing_behind(house: PackageHouse) -> None:
    entries = [file_entry("package/extension.toml"), file_entry("package/../../../evil")]
    house.registries.add_npm("x", {"1.0.0": tgz_of(entries)})

    with pytest.raises(BadPackageError, match=r"^package/\.\./\.\./\.\./evil leads out"):
        house.install("npm:x")

    assert [*house.folder.rglob("evil")] == []
    assert sorted(each.name for each in house.root.iterdir()) == [".packages.lock"]


def test_nothing_is_installed_over_something_else(house: PackageHouse) -> None:
    source = f"path:{house.write('mine', plugin_files())}"
    house.install(source)
    with pytest.raises(TargetExistsError, match="`papercup plugin update dice` brings a newer"):
        house.install(source)

    house.elsewhere["dice"] = house.folder / "other"
    remove("dice", house.terms)
    with pytest.raises(IdTakenError, match=r"there is another plugin called dice: .*/other"):
        house.install(source)

    del house.elsewhere["dice"]
    (house.root / "dice").mkdir()
    with pytest.raises(TargetExistsError, match="was put there by hand"):
        house.install(source)


def test_a_trial_finds_what_is_wrong_and_changes_nothing(house: PackageHouse) -> None:
    source = house.write("mine", {**plugin_files(), "requirements.txt": b"chance"})
    house.registries.add_pypi("chance", {"chance-1.0-py3-none-any.whl": wheel("chance", "1.0", {})})
    fetching = replace(house.terms.fetching, environment={"PATH": with_uv()})
    trial = replace(house.terms, is_trial=True, fetching=fetching)

    with pytest.raises(BadPackageError, match="uv is needed, and not found on PATH"):
        install(read_source(f"path:{source}"), replace(house.terms, is_trial=True))
    done = install(read_source(f"path:{source}"), trial)
    with pytest.raises(UnknownPackageError):
        remove("dice", trial)
    linked = link(source, trial)

    assert (done.package.id, done.depends_on, linked.package.id) == ("dice", ("chance",), "dice")
    assert house.names == []
    assert not (house.root / ".environments").exists()


def test_a_trial_of_an_update_says_whether_anything_would_change(house: PackageHouse) -> None:
    source = house.write("mine", {**plugin_files(), "requirements.txt": b"chance"})
    house.registries.add_pypi("chance", {"chance-1.0-py3-none-any.whl": wheel("chance", "1.0", {})})
    fetching = replace(house.terms.fetching, environment={"PATH": with_uv()})
    terms = replace(house.terms, fetching=fetching)
    install(read_source(f"path:{source}"), terms)

    assert not update("dice", replace(terms, is_trial=True)).has_changed
    (source / "main.py").write_bytes(b"changed")
    assert update("dice", replace(terms, is_trial=True)).has_changed
