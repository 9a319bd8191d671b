"""What the page on publishing plugins shows can be installed, and is found."""

import json
import tomllib
from collections.abc import Generator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from extensions.plugins.packages.searching import KEYWORDS, OWN_PREFIX
from tests.bot.cli.test_main import papercup
from tests.docs.pages import page
from tests.fakes.package_archives import plugin_files, tgz, wheel
from tests.fakes.package_registries import Registries, serving_registries

PAGE = page("docs/plugins/publishing.md")
PACKAGE = json.loads(next(block for block in PAGE.blocks if block.startswith("{")))
PROJECT = tomllib.loads(next(block for block in PAGE.blocks if "[project]" in block))


@pytest.fixture
def registries(tmp_path: Path) -> Generator[Registries]:
    with serving_registries() as found, chdir(tmp_path):
        yield found


def installed(folder: Path, registries: Registries, source: str) -> dict[str, Any]:
    environment = {
        "PAPERCUP_DATA_DIR": str(folder / "data"),
        "PAPERCUP_ENDPOINTS__NPM": registries.url,
        "PAPERCUP_ENDPOINTS__PYPI": registries.url,
    }
    words = ("plugin", "install", source, "--json")
    result = papercup(folder, *words, environment=environment)
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


def files_of(name: str, program: str) -> dict[str, bytes]:
    files = plugin_files(name)
    return {"extension.toml": files["extension.toml"], program: files["main.py"]}


def test_what_is_packed_for_npm_can_be_installed(registries: Registries, tmp_path: Path) -> None:
    files = files_of("quotes", "quotes.mjs")
    packed = tgz({"package.json": json.dumps(PACKAGE).encode(), **files})
    registries.add_npm(PACKAGE["name"], {PACKAGE["version"]: packed})
    source = f"npm:{PACKAGE['name']}"

    assert set(PACKAGE["files"]) == files.keys()
    assert f"papercup plugin install {source}\n" in PAGE.blocks
    installed(tmp_path, registries, source)
    folder = tmp_path / ".papercup" / "plugins" / "quotes"
    assert {each.name for each in folder.iterdir()} == {"package.json", *files}


def test_what_is_built_for_pypi_can_be_installed(registries: Registries, tmp_path: Path) -> None:
    project = PROJECT["project"]
    (package,) = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    files = {"__init__.py": b"", **files_of("sky", "plugin.py")}
    shown = next(block for block in PAGE.blocks if "pyproject.toml\n" in block).split()
    name = project["name"].replace("-", "_")
    built = wheel(name, project["version"], {f"{package}/{path}": files[path] for path in files})
    registries.add_pypi(project["name"], {f"{name}-{project['version']}-py3-none-any.whl": built})

    assert shown == ["pyproject.toml", *(f"{package}/{path}" for path in files)]
    installed(tmp_path, registries, f"pypi:{project['name']}")
    folder = tmp_path / ".papercup" / "plugins" / "sky"
    assert files.keys() <= {each.name for each in folder.iterdir()}


def test_both_are_found_by_a_search() -> None:
    assert {*PACKAGE["keywords"], *PROJECT["project"]["keywords"]} <= {*KEYWORDS}
    assert PROJECT["project"]["name"] == f"{OWN_PREFIX}sky"
