"""Plugins get the SDK that they lack, and no other."""

import subprocess
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from extensions.plugins.packages.environments import python_place_of
from extensions.plugins.packages.errors import (
    BadPackageError,
)
from extensions.plugins.packages.installing import install, link, update
from extensions.plugins.packages.sdk import Sdk
from extensions.plugins.packages.sources import read_source
from tests.fakes.package_archives import plugin_files, wheel
from tests.fakes.package_house import PackageHouse
from tests.fakes.package_registries import serving_registries


@pytest.fixture
def house(tmp_path: Path) -> Generator[PackageHouse]:
    with serving_registries() as registries:
        yield PackageHouse(tmp_path, registries)


def test_a_plugin_that_lacks_the_sdk_gets_the_one_of_this_papercup(house: PackageHouse) -> None:
    source = house.write("mine", {**plugin_files(), "main.py": b"import papercup_plugin\n"})
    older = replace(house.terms, sdk=Sdk(version="0.0.9", put_into=_put_older))

    done = install(read_source(f"path:{source}"), older)
    same = update("dice", older)
    newer = update("dice", house.terms)
    house.write("mine/papercup_plugin", {"__init__.py": b"# mine"})
    own = update("dice", house.terms)

    assert [each.package.sdk for each in (done, same, newer, own)] == [
        "0.0.9",
        "0.0.9",
        "0.1.0",
        None,
    ]
    assert [each.has_changed for each in (same, newer, own)] == [False, True, True]
    assert house.kept.by_id["dice"] == own.package
    assert (own.path / "papercup_plugin/__init__.py").read_bytes() == b"# mine"
    assert not (source / "papercup_plugin/plugin.py").exists()


def _put_older(folder: Path) -> None:
    copy = folder / "papercup_plugin"
    copy.mkdir()
    (copy / "__init__.py").write_text("# older")


def test_a_plugin_that_is_linked_and_lacks_the_sdk_is_left_as_it_is(house: PackageHouse) -> None:
    source = house.write("mine", {**plugin_files(), "main.py": b"import papercup_plugin\n"})

    (warning,) = link(source, house.terms).warnings

    assert warning.endswith(f"not in its folder: `papercup plugin vendor {source}` puts it there")
    assert not (source / "papercup_plugin").exists()


def test_a_plugin_one_of_whose_packages_requires_the_sdk_gets_no_copy(house: PackageHouse) -> None:
    files = {"main.py": b"import papercup_plugin\n", "requirements.txt": b"helper"}
    source = house.write("mine", {**plugin_files(), **files})
    helper = wheel("helper", "1.0", {}, requires=["Papercup_Plugin"])
    sdk = wheel("papercup_plugin", "0.2.0", {"papercup_plugin/__init__.py": b""})
    house.registries.add_pypi("helper", {"helper-1.0-py3-none-any.whl": helper})
    house.registries.add_pypi("papercup-plugin", {"papercup_plugin-0.2.0-py3-none-any.whl": sdk})

    done = install(read_source(f"path:{source}"), house.terms_with_uv)

    assert done.package.sdk is None
    assert not (done.path / "papercup_plugin").exists()


def test_the_sdk_that_a_plugin_requires_is_the_one_of_this_papercup(house: PackageHouse) -> None:
    requirements = b"Papercup.Plugin[x]>=0.1,<1 ; python_version > '3'\nhelper\n"
    source = house.write("mine", {**plugin_files(), "requirements.txt": requirements})
    helper = wheel("helper", "1.0", {}, requires=["Papercup_Plugin"])
    house.registries.add_pypi("helper", {"helper-1.0-py3-none-any.whl": helper})

    done = install(read_source(f"path:{source}"), house.terms_with_uv)

    assert (done.depends_on, done.package.sdk) == (("helper",), "0.1.0")
    assert (done.path / "papercup_plugin/plugin.py").is_file()
    first, rest = (done.path / "papercup-requirements.txt").read_text().split("\n", 1)
    assert first == "# papercup-plugin stands beside the plugin"
    assert rest.startswith("helper==1.0 \\\n    --hash=sha256:")


def test_a_plugin_that_requires_the_sdk_alone_needs_neither_uv_nor_an_environment(
    house: PackageHouse,
) -> None:
    project = b'[project]\nname = "dice"\ndependencies = ["papercup-plugin ~= 0.1"]\n'
    source = house.write("mine", {**plugin_files(), "pyproject.toml": project})

    done = house.install(f"path:{source}")

    assert (done.depends_on, done.package.sdk) == ((), "0.1.0")
    assert python_place_of(done.path) is None


def test_the_programs_of_a_wheel_find_the_sdk_that_it_requires(house: PackageHouse) -> None:
    files = {f"dicer/{name}": body for name, body in plugin_files().items()}
    files["dicer/main.py"] = (
        b"from papercup_plugin import Plugin\n\ndef run():\n    print(Plugin)\n"
    )
    body = wheel(
        "dice",
        "1.0",
        files,
        requires=["papercup-plugin >=0.1", "papercup-plugin>9; extra == 'next'"],
        scripts="roll=dicer.main:run",
    )
    house.registries.add_pypi("dice", {"dice-1.0-py3-none-any.whl": body})

    done = install(read_source("pypi:dice"), house.terms_with_uv)

    place = python_place_of(done.path)
    assert place is not None
    ran = subprocess.run([place.bin / "roll"], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("<class 'papercup_plugin.plugin.Plugin'>\n", "")
    assert done.package.sdk == "0.1.0"


def test_a_plugin_that_requires_another_sdk_is_refused(house: PackageHouse) -> None:
    source = house.write("mine", {**plugin_files(), "requirements.txt": b"papercup-plugin>=2\n"})

    with pytest.raises(BadPackageError) as caught:
        house.install(f"path:{source}")
    house.write("mine/papercup_plugin", {"__init__.py": b"# 2.0"})
    own = house.install(f"path:{source}")

    assert str(caught.value) == (
        "it requires papercup-plugin>=2, and this Papercup brings 0.1.0: update Papercup, or"
        " install a version of the plugin that is made for 0.1.0"
    )
    assert own.package.sdk is None
