"""What plugins depend on is brought along, by the real npm and uv, and none of it is run."""

import json
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from extensions.plugins.packages.dependencies import Dependent, bring_along, dependencies_of
from extensions.plugins.packages.environments import (
    REQUIREMENTS_NAME,
    PythonPlace,
    python_place_of,
)
from extensions.plugins.packages.errors import BadPackageError, FetchError
from extensions.plugins.packages.fetching import Fetched, FetchTerms
from extensions.plugins.packages.python_packages import remove_unused_environments
from extensions.plugins.packages.python_requirements import requirement_lines
from extensions.plugins.packages.sources import FolderSource
from extensions.plugins.tree_hash import TreeHash, hash_tree
from tests.fakes.package_archives import tgz, wheel
from tests.fakes.package_programs import with_npm, with_uv
from tests.fakes.package_registries import Registries, serving_registries, sri


class House:
    """A plugin that depends on something, and where that is had."""

    def __init__(self, folder: Path, registries: Registries) -> None:
        self.registries = registries
        self.root = folder / "plugins"
        self.plugin = self.root / "dice"
        self.plugin.mkdir(parents=True)
        self.work = folder / "work"
        self.work.mkdir()
        self.search_path = "/usr/bin:/bin"

    def write(self, name: str, content: object) -> None:
        text = content if isinstance(content, str) else json.dumps(content)
        (self.plugin / name).write_text(text)

    def install(self) -> tuple[list[str], list[str]]:
        terms = FetchTerms(
            endpoints=self.registries.endpoints,
            environment={"PATH": self.search_path},
            tell=lambda _progress: None,
        )
        source = FolderSource(path=self.plugin)
        fetched = Fetched(folder=self.plugin, name="dice", resolved=source)
        plugin = Dependent(id="dice", folder=self.plugin, root=self.root, fetched=fetched)
        wanted = dependencies_of(plugin, terms)
        bring_along(plugin, wanted, self._make, terms)
        return list(wanted.node), list(wanted.python)

    def _make(self, name: str) -> Path:
        made = self.work / name
        made.mkdir()
        return made


@pytest.fixture
def house(tmp_path: Path) -> Generator[House]:
    with serving_registries() as registries:
        yield House(tmp_path, registries)


PACKAGE = {"name": "dice", "version": "1.0.0", "dependencies": {"chance": "^1.0.0"}}


def _lock(registries: Registries, body: bytes, **more: Any) -> dict[str, Any]:
    place = f"{registries.url}/chance/-/1.0.0.tgz"
    chance = {"version": "1.0.0", "resolved": place, "bin": {"chance": "cli.js"}}
    packages = {"": PACKAGE, "node_modules/chance": {**chance, "integrity": sri(body), **more}}
    return {"name": "dice", "version": "1.0.0", "lockfileVersion": 3, "packages": packages}


def _chance(ran: Path) -> bytes:
    scripts = {"postinstall": f"touch {ran}", "preinstall": f"touch {ran}"}
    package = {"name": "chance", "version": "1.0.0", "scripts": scripts, "bin": "cli.js"}
    return tgz({"package.json": json.dumps(package).encode(), "cli.js": b"", "index.js": b""})


def test_what_a_lock_file_names_is_installed_and_no_script_is_run(
    house: House, tmp_path: Path
) -> None:
    body = _chance(tmp_path / "ran")
    house.registries.add_npm("chance", {"1.0.0": body})
    house.search_path = with_npm(tmp_path)
    scripts = {"prepare": f"touch {tmp_path}/ran", "install": f"touch {tmp_path}/ran"}
    house.write("package.json", {**PACKAGE, "scripts": scripts})
    house.write("package-lock.json", _lock(house.registries, body))

    assert house.install() == (["chance"], [])

    assert (house.plugin / "node_modules/chance/index.js").is_file()
    assert (house.plugin / "node_modules/.bin/chance").is_symlink()
    assert isinstance(hash_tree(house.plugin), TreeHash)
    assert not (tmp_path / "ran").exists()


def test_another_package_than_the_one_that_was_locked_is_not_installed(
    house: House, tmp_path: Path
) -> None:
    house.registries.add_npm("chance", {"1.0.0": _chance(tmp_path / "ran")})
    house.search_path = with_npm(tmp_path)
    house.write("package.json", PACKAGE)
    house.write("package-lock.json", _lock(house.registries, b"another"))

    with pytest.raises(FetchError, match=r"npm failed .*EINTEGRITY"):
        house.install()


def test_packages_that_came_along_are_taken_as_they_are(house: House) -> None:
    house.write("package.json", PACKAGE)
    (house.plugin / "node_modules/chance").mkdir(parents=True)

    assert house.install() == ([], [])


def test_packages_that_nobody_pinned_are_refused(house: House) -> None:
    many = {f"p{number}": "*" for number in range(9)}
    house.write("package.json", {**PACKAGE, "dependencies": many})

    with pytest.raises(BadPackageError) as caught:
        house.install()

    assert str(caught.value) == (
        "it depends on p0, p1, p2, p3, p4 and more, and has neither them nor a"
        " npm-shrinkwrap.json or a package-lock.json that says which they are"
    )


def test_without_npm_it_is_said_what_is_missing(house: House) -> None:
    house.search_path = "/nowhere"
    house.write("package.json", PACKAGE)
    house.write("npm-shrinkwrap.json", _lock(house.registries, b""))

    with pytest.raises(BadPackageError, match="depends on chance: npm is needed, and not found"):
        house.install()


def test_what_would_tell_npm_what_to_do_is_refused(house: House) -> None:
    house.write("package.json", PACKAGE)
    house.write("package-lock.json", _lock(house.registries, b""))
    house.write(".npmrc", "git=/tmp/evil")

    with pytest.raises(BadPackageError, match=r"its \.npmrc would say what npm does"):
        house.install()


def _offer_chance(house: House) -> None:
    helper = wheel("helper", "0.1", {"helper.py": b"VALUE = 6\n"})
    body = b"import helper\n\ndef roll():\n    print(helper.VALUE)\n"
    chance = wheel(
        "chance", "1.0", {"chance.py": body}, requires=["helper"], scripts="roll=chance:roll"
    )
    house.registries.add_pypi("helper", {"helper-0.1-py3-none-any.whl": helper})
    house.registries.add_pypi("chance", {"chance-1.0-py3-none-any.whl": chance})
    house.search_path = with_uv()


def test_python_packages_get_an_environment_of_their_own(house: House) -> None:
    _offer_chance(house)
    house.write("requirements.txt", "chance>=1  # luck\n")

    assert house.install() == ([], ["chance>=1"])

    place = python_place_of(house.plugin)
    assert place is not None
    assert place.is_ready
    rolled = subprocess.run([place.bin / "roll"], capture_output=True, text=True, check=True)
    assert rolled.stdout == "6\n"
    pinned = (house.plugin / REQUIREMENTS_NAME).read_text()
    assert "chance==1.0 \\\n    --hash=sha256:" in pinned
    assert "helper==0.1 \\\n    --hash=sha256:" in pinned
    # A link to Python stands in it, for which nobody could vouch.
    assert isinstance(hash_tree(house.plugin), TreeHash)

    remove_unused_environments(house.root)
    assert place.is_ready
    house.write(REQUIREMENTS_NAME, "")
    remove_unused_environments(house.root)
    assert not place.folder.exists()


def test_what_would_have_to_be_built_is_not_and_nothing_is_left(house: House) -> None:
    ran = house.work / "ran"
    setup = f"open({str(ran)!r}, 'w')\nfrom setuptools import setup\nsetup()\n"
    source = tgz({"setup.py": setup.encode(), "PKG-INFO": b"Name: chance\n"}, root="chance-1.0")
    house.registries.add_pypi("chance", {"chance-1.0.tar.gz": source})
    house.search_path = with_uv()
    house.write("pyproject.toml", '[project]\nname = "dice"\ndependencies = ["chance"]\n')

    with pytest.raises(FetchError, match=r"uv failed .*chance"):
        house.install()

    assert not ran.exists()
    assert not (house.root / ".environments").exists()


def test_without_uv_it_is_said_what_is_missing(house: House) -> None:
    house.search_path = "/nowhere"
    house.write("requirements.txt", "chance\nhelper==0.1\n")

    with pytest.raises(BadPackageError, match=r"depends on chance, helper==0.1: uv is needed"):
        house.install()


def test_a_file_of_requirements_is_read_without_what_it_should_hash_to() -> None:
    text = (
        "# luck\n\nchance[fair, odd]>=1,<2 ; python_version < '4'\n"
        "helper==0.1 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\nplain\n"
    )
    assert list(requirement_lines(text)) == [
        "chance[fair, odd]>=1,<2 ; python_version < '4'",
        "helper==0.1",
        "plain",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://evil.example",
        "--extra-index-url=https://evil.example",
        "--find-links /tmp",
        "-r other.txt",
        "-e .",
        "-c constraints.txt",
        "./dice",
        "/tmp/dice.whl",
        "dice @ https://evil.example/dice.whl",
        "dice@git+https://evil.example/dice",
        "https://evil.example/dice.whl",
        "git+https://evil.example/dice",
        "chance --config-settings=x",
    ],
)
def test_a_requirement_that_says_more_is_refused(line: str) -> None:
    with pytest.raises(BadPackageError, match="is more than a package and its versions"):
        list(requirement_lines(f"chance\n{line}\n"))


@pytest.mark.parametrize(
    "text",
    ["[project", "[project]\ndependencies = 'x'", "[project]\ndependencies = [1]"],
)
def test_a_project_that_is_not_understood_is_refused(house: House, text: str) -> None:
    house.write("pyproject.toml", text)

    with pytest.raises(BadPackageError, match=r"pyproject\.toml"):
        house.install()


def test_an_environment_whose_python_is_gone_is_not_ready(tmp_path: Path) -> None:
    place = PythonPlace(folder=tmp_path)
    place.bin.mkdir()
    place.ready.touch()
    place.python.symlink_to("/gone")

    assert not place.is_ready
