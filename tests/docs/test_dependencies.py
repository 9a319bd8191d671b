"""Every version is pinned, and every dependency is there for a reason that is written down."""

import ast
import re
import sys
import tomllib
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from scripts.pin import BUILD_PINS, RUN_PINS, pinned_versions
from tests.docs.pages import ROOT, page

OWN = {"papercup", "papercup-plugin"}
"""Distributions of this repository."""
PACKAGES = ("bot", "voice", "extensions", "simulator", "benchmarks")

# Types in the interface of another package, which says what version of them it takes.
_COME_WITH = {
    "davey": "discord-py",
    "httpx2": "mcp",
    "mcp-types": "mcp",
    "multidict": "aiohttp",
    "referencing": "jsonschema",
    "starlette": "mcp",
    "yarl": "aiohttp",
}


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _named() -> set[str]:
    project = _project()["project"]
    return _names(project["dependencies"] + project["optional-dependencies"]["voice"])


def _named_for_development() -> set[str]:
    return _names(_project()["dependency-groups"]["dev"])


def _names(requirements: list[str]) -> set[str]:
    return {_normal(re.split(r"[^\w.-]", requirement)[0]) for requirement in requirements}


def test_every_package_that_uv_chose_is_pinned_at_that_version() -> None:
    lock = tomllib.loads((ROOT / "uv.lock").read_text())
    chosen = {
        package["name"]: package["version"]
        for package in lock["package"]
        if package["name"] not in OWN
    }
    assert pinned_versions(_project()["tool"]["uv"][RUN_PINS]) == chosen


def test_what_the_build_needs_is_pinned() -> None:
    pins = pinned_versions(_project()["tool"]["uv"][BUILD_PINS])
    needed = {_normal(name) for name in _project()["build-system"]["requires"]}
    assert needed - set(pins) == set()


def test_no_file_of_the_project_names_an_index_to_install_from() -> None:
    for name in ("pyproject.toml", "justfile", ".ci/run", "README.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text()
        assert not re.search(r"pypi|pythonhosted|index-url|find-links|\[\[tool\.uv\.index", text)


def test_every_dependency_has_its_reason_in_the_decision_about_them() -> None:
    decision = page("docs/adr/0006-named-dependencies.md").text
    reasons = {_normal(name) for name in re.findall(r"^\| `([^`]+)` \| \w", decision, re.MULTILINE)}
    assert reasons == _named()


def test_every_package_that_is_imported_is_a_named_dependency() -> None:
    *products, benchmarks = PACKAGES
    assert _needed(products) - _named() == set()
    # Those are for people with the repository: what they measure against need not be installed.
    assert _needed([benchmarks]) - _named() - _named_for_development() == set()


def _needed(packages: Sequence[str]) -> set[str]:
    providers = metadata.packages_distributions()
    imported = {
        # What is installed as it stands in the repository says nothing of its modules.
        _normal(providers.get(module, [module])[0])
        for package in packages
        for path in (ROOT / package).rglob("*.py")
        for module in _imported_modules(path)
        if module not in {*sys.stdlib_module_names, *PACKAGES}
    }
    return {_COME_WITH.get(name, name) for name in imported}


def _imported_modules(path: Path) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.add(node.module.partition(".")[0])
    return modules
