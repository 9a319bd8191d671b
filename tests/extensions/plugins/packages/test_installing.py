"""Plugins are installed from each kind of source, updated and taken out again."""

from collections.abc import Generator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.packages.enabling import set_enabled
from extensions.plugins.packages.environments import python_place_of
from extensions.plugins.packages.errors import (
    BadIdError,
    BadPackageError,
    FetchError,
    IdTakenError,
    LocalChangesError,
    PackageError,
    PackagesFileError,
    SourceError,
    TargetExistsError,
    UnknownPackageError,
)
from extensions.plugins.packages.fetching import FetchTerms
from extensions.plugins.packages.installing import (
    Installed,
    InstallTerms,
    install,
    link,
    remove,
    update,
)
from extensions.plugins.packages.packages_file import Package, Packages
from extensions.plugins.packages.packages_store import read_packages
from extensions.plugins.packages.sources import read_source
from extensions.plugins.tree_hash import TreeHash, hash_tree
from tests.fakes.git_server import serving_git
from tests.fakes.package_archives import file_entry, plugin_files, tgz, tgz_of, wheel
from tests.fakes.package_programs import with_uv
from tests.fakes.package_registries import Registries, serving_registries

AT = datetime(2026, 1, 1, tzinfo=UTC)


class House:
    """A user's folder of plugins, and what there is to be had."""

    def __init__(self, folder: Path, registries: Registries) -> None:
        self.folder = folder
        self.registries = registries
        self.root = folder / "plugins"
        self.elsewhere: dict[str, Path] = {}
        self.terms = InstallTerms(
            root=self.root,
            host=HostFacts(version="0.1.0"),
            elsewhere=self.elsewhere.get,
            fetching=FetchTerms(
                endpoints=registries.endpoints,
                environment={"PATH": "/usr/bin:/bin"},
                tell=lambda _progress: None,
            ),
            clock=lambda: AT,
        )

    def write(self, name: str, files: dict[str, bytes]) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        for path, body in files.items():
            (folder / path).write_bytes(body)
        return folder

    def install(self, text: str) -> Installed:
        return install(read_source(text), self.terms)

    @property
    def names(self) -> list[str]:
        return sorted(each.name for each in self.root.iterdir() if not each.name.startswith("."))

    @property
    def kept(self) -> Packages:
        return read_packages(self.root)


@pytest.fixture
def house(tmp_path: Path) -> Generator[House]:
    with serving_registries() as registries:
        yield House(tmp_path, registries)


def _tree_of(folder: Path) -> str:
    found = hash_tree(folder)
    assert isinstance(found, TreeHash)
    return found.text


def test_a_folder_is_installed_and_what_it_was_is_kept(house: House) -> None:
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


def test_a_package_of_npm_is_installed_and_updated(house: House) -> None:
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


def test_a_version_that_was_asked_for_stays(house: House) -> None:
    versions = {each: tgz(plugin_files(version=each)) for each in ("1.0.0", "2.0.0")}
    house.registries.add_npm("dice", versions)
    house.install("npm:dice@1.0.0")

    assert not update("dice", house.terms).has_changed


def test_a_repository_is_installed_and_updated(house: House, tmp_path: Path) -> None:
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


def test_a_wheel_is_installed_with_an_environment_of_its_own(house: House) -> None:
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


def test_a_source_of_python_is_unpacked_and_not_built(house: House) -> None:
    files = {**plugin_files(), "setup.py": b"raise SystemExit('built')"}
    house.registries.add_pypi("dice", {"dice-1.0.tar.gz": tgz(files, root="dice-1.0")})

    done = house.install("pypi:dice")

    assert (done.package.resolved, done.depends_on) == ("pypi:dice@1.0", ())
    assert (done.path / "setup.py").is_file()


def test_a_wheel_with_several_manifests_is_refused(house: House) -> None:
    files = {f"{folder}/extension.toml": b"x" for folder in ("one", "two")}
    body = wheel("dice", "1.0", files)
    house.registries.add_pypi("dice", {"dice-1.0-py3-none-any.whl": body})

    with pytest.raises(BadPackageError, match="several manifests in it, and one is taken: one, tw"):
        house.install("pypi:dice")


def test_servers_without_a_manifest_are_called_as_their_package(house: House) -> None:
    body = tgz({"mcp.toml": b"[[servers]]\nname = 'x'\ncommand = 'x'\n"})
    house.registries.add_npm("@me/my.servers", {"1.0.0": body})

    assert house.install("npm:@me/my.servers").package.id == "my-servers"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"README.md": b""}, "holds no manifest|no manifest"),
        ({"package.json": b'{"name": "requests"}'}, "no manifest"),
        (plugin_files("../../x"), "x"),
        ({"extension.toml": b"nonsense"}, "failed to parse TOML"),
    ],
)
def test_what_is_no_plugin_is_not_installed(
    house: House, files: dict[str, bytes], why: str
) -> None:
    house.registries.add_npm("x", {"1.0.0": tgz(files)})

    with pytest.raises(BadPackageError, match=why):
        house.install("npm:x")

    assert house.names == []


def test_a_hostile_archive_leaves_nothing_behind(house: House) -> None:
    entries = [file_entry("package/extension.toml"), file_entry("package/../../../evil")]
    house.registries.add_npm("x", {"1.0.0": tgz_of(entries)})

    with pytest.raises(BadPackageError, match=r"^package/\.\./\.\./\.\./evil leads out"):
        house.install("npm:x")

    assert [*house.folder.rglob("evil")] == []
    assert sorted(each.name for each in house.root.iterdir()) == [".packages.lock"]


def test_nothing_is_installed_over_something_else(house: House) -> None:
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


def test_a_trial_changes_nothing(house: House) -> None:
    source = house.write("mine", {**plugin_files(), "requirements.txt": b"chance"})
    trial = replace(house.terms, is_trial=True)

    done = install(read_source(f"path:{source}"), trial)
    with pytest.raises(UnknownPackageError):
        remove("dice", trial)
    linked = link(source, trial)

    assert (done.package.id, done.depends_on, linked.package.id) == ("dice", ("chance",), "dice")
    assert house.names == []


def test_a_plugin_that_is_linked_stays_where_it_is(house: House) -> None:
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


@pytest.mark.parametrize("path", ["mine", "/nowhere"])
def test_only_an_absolute_folder_can_be_linked(house: House, path: str) -> None:
    house.write("mine", plugin_files())

    with pytest.raises(SourceError, match="is not an absolute path of a folder"):
        link(Path(path), house.terms)


def test_what_was_changed_in_its_place_is_not_lost_unasked(house: House) -> None:
    source = house.write("mine", plugin_files())
    house.install(f"path:{source}")
    (house.root / "dice/main.py").write_text("changed here")
    house.write("mine", plugin_files(version="2.0.0"))

    with pytest.raises(LocalChangesError, match=r"dice was changed in .*; with --yes that is lost"):
        update("dice", house.terms)
    assert (house.root / "dice/main.py").read_text() == "changed here"

    assert update("dice", house.terms, loses_changes=True).has_changed
    assert (house.root / "dice/main.py").read_text() == "print('rolled')\n"


def test_an_update_that_fails_leaves_what_was_there(house: House) -> None:
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


def test_what_cannot_be_written_down_is_not_put_in_place(house: House) -> None:
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


def test_what_is_gone_is_brought_back_by_an_update(house: House) -> None:
    source = house.write("mine", plugin_files())
    done = house.install(f"path:{source}")
    for each in done.path.iterdir():
        each.unlink()
    done.path.rmdir()

    assert update("dice", house.terms).has_changed
    assert _tree_of(done.path) == done.package.hash


def test_a_folder_that_holds_all_plugins_cannot_be_one(house: House) -> None:
    house.write(".", plugin_files())

    with pytest.raises(BadPackageError, match="holds the folder to which it would be copied"):
        house.install(f"path:{house.folder}")


@pytest.mark.parametrize(
    ("name", "error"), [("../x", BadIdError), ("Dice", BadIdError), ("gone", UnknownPackageError)]
)
def test_what_was_not_installed_cannot_be_updated_or_removed(
    house: House, name: str, error: type[Exception]
) -> None:
    for change in (update, remove):
        with pytest.raises(error):
            change(name, house.terms)


def test_a_plugin_is_disabled_and_enabled_wherever_it_is(house: House) -> None:
    changes = [set_enabled("todo", house.root, is_enabled=each) for each in (False, False, True)]

    assert changes == [True, False, True]
    assert house.kept == Packages()
    with pytest.raises(BadIdError):
        set_enabled("../x", house.root, is_enabled=False)


def test_what_only_papercup_writes_is_not_taken_from_a_package(house: House) -> None:
    files = {**plugin_files(), "papercup-requirements.txt": b"evil==1.0 --hash=sha256:00"}
    house.registries.add_npm("dice", {"1.0.0": tgz(files)})

    done = house.install("npm:dice")

    assert python_place_of(done.path) is None
    assert not (done.path / "papercup-requirements.txt").exists()
