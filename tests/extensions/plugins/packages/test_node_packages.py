"""The real npm installs what is pinned, whatever others have written around it."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from extensions.plugins.packages.errors import BadPackageError
from extensions.plugins.packages.node_packages import (
    NodeTerms,
    check_lock,
    install_node_packages,
    missing_node_packages,
)
from tests.fakes.package_archives import file_entry, tgz, tgz_of
from tests.fakes.package_programs import with_npm
from tests.fakes.package_registries import Registries, serving_registries, sri

PACKAGE = {"name": "dice", "version": "1.0.0", "dependencies": {"chance": "1.0.0"}}
CHANCE = b'{"name": "chance", "version": "1.0.0"}'


@pytest.fixture
def registries() -> Generator[Registries]:
    with serving_registries() as found:
        yield found


def _write(folder: Path, files: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def _plugin(folder: Path, registries: Registries, chance: bytes) -> Path:
    registries.add_npm("chance", {"1.0.0": chance})
    place = f"{registries.url}/chance/-/1.0.0.tgz"
    pinned = {"version": "1.0.0", "resolved": place, "integrity": sri(chance)}
    packages = {"": PACKAGE, "node_modules/chance": pinned}
    lock = {"name": "dice", "version": "1.0.0", "lockfileVersion": 3, "packages": packages}
    return _write(folder, {"package.json": PACKAGE, "package-lock.json": lock})


def _install(plugin: Path, registries: Registries, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environment = {"PATH": with_npm(tmp_path)}
    terms = NodeTerms(registry=registries.url, home=home, environment=environment)
    check_lock(plugin, missing_node_packages(plugin), environment, registry=registries.url)
    install_node_packages(plugin, terms, lambda _progress: None)


def test_a_project_above_does_not_say_what_npm_does(registries: Registries, tmp_path: Path) -> None:
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
    evil.chmod(0o755)
    project = _write(
        tmp_path / "project",
        {
            "package.json": {
                "name": "project",
                "workspaces": ["plugins/*"],
                "dependencies": {"odd": "git+https://127.0.0.1:1/odd.git"},
            },
            ".npmrc": f"git={evil}\n",
            "package-lock.json": {"lockfileVersion": 3, "packages": {"": {"name": "project"}}},
        },
    )
    archive = tgz({"package.json": CHANCE, "index.js": b""})
    plugin = _plugin(project / "plugins/dice", registries, archive)

    _install(plugin, registries, tmp_path)

    assert (plugin / "node_modules/chance/index.js").is_file()
    assert not (tmp_path / "ran").exists()
    assert not (project / "node_modules").exists()


def test_what_would_run_as_another_user_is_refused_by_its_name(
    registries: Registries, tmp_path: Path
) -> None:
    entries = [
        file_entry("package/package.json", CHANCE),
        file_entry("package/su", b"x", mode=0o4755),
    ]
    plugin = _plugin(tmp_path / "dice", registries, tgz_of(entries))

    with pytest.raises(BadPackageError, match=r"^node_modules/chance/su would run as another"):
        _install(plugin, registries, tmp_path)


@pytest.mark.parametrize("name", ["a" * 300, "\0", "../../etc"])
def test_a_package_that_nothing_can_be_called_is_missing(tmp_path: Path, name: str) -> None:
    _write(tmp_path, {"package.json": {"dependencies": {name: "1.0.0"}}})

    assert missing_node_packages(tmp_path) == [name]


def test_a_package_that_npm_would_clone_is_refused_before_npm_is_asked(tmp_path: Path) -> None:
    place = "git+https://evil.example/chance.git"
    package = {**PACKAGE, "dependencies": {"chance": place}}
    _write(tmp_path, {"package.json": package, "package-lock.json": {}})

    with pytest.raises(BadPackageError) as caught:
        check_lock(tmp_path, ["chance"], {}, registry="https://r.example")

    assert str(caught.value) == (
        f"package.json: depends on chance of {place}, which no registry has"
    )


def test_an_npm_that_is_too_old_is_said(tmp_path: Path) -> None:
    (tmp_path / "npm").write_text("#!/bin/sh\necho 6.14.18\n")
    (tmp_path / "npm").chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    terms = NodeTerms(registry="https://r.example", home=tmp_path, environment=environment)

    with pytest.raises(BadPackageError) as caught:
        install_node_packages(tmp_path, terms, lambda _progress: None)

    assert str(caught.value) == "the npm on PATH is 6.14.18: 7 or newer is needed"
