"""Brings along the Python packages that a plugin depends on: uv puts them into an environment.

Which they are, and what each hashes to, is written down first; then just those are installed, from
wheels alone: nothing is built, so nothing of theirs is run.
"""

import re
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from extensions.plugins.packages.entries import shown_name
from extensions.plugins.packages.environments import (
    FOLDER_NAME,
    REQUIREMENTS_NAME,
    PythonPlace,
    python_place,
    python_place_of,
)
from extensions.plugins.packages.errors import BadPackageError
from extensions.plugins.packages.helpers import HelperRun, is_there, run_helper
from extensions.plugins.packages.progress import Progress, Stage, Tell

_SECONDS = 300.0
_MOST_BYTES = 4 * 1024 * 1024
_COMMENT = re.compile(r"(^|\s)#.*$")
_HASH = re.compile(r"\s--hash=\S+")
_PACKAGE = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[A-Za-z0-9._,\s-]*\])?")
_VERSIONS = re.compile(r"(?:===?|[<>!~]=|[<>])\s*[A-Za-z0-9][A-Za-z0-9.*+!_-]*")
_CONDITION = re.compile(r"[A-Za-z0-9_.\s()<>=!~'\"+*-]*")
_WHEELS_ALONE = "--only-binary=:all:"


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonTerms:
    """How Python packages are had."""

    index: str
    """The address of the Python Package Index."""
    home: Path
    """An empty folder, for what is only needed meanwhile."""
    environment: Mapping[str, str]
    """This program's own."""


def wanted_requirements(folder: Path) -> list[str]:
    """Return the Python packages that a plugin depends on, as it says.

    Raises:
        BadPackageError: If it says so in a way that is not understood.
    """
    listed, project = folder / "requirements.txt", folder / "pyproject.toml"
    if listed.is_file():
        return list(requirement_lines(_text(listed)))
    if not project.is_file():
        return []
    try:
        table: object = tomllib.loads(_text(project)).get("project", {})
    except (ValueError, RecursionError) as error:
        raise BadPackageError(f"pyproject.toml cannot be read: {error}") from error
    fields = cast("dict[str, Any]", table) if isinstance(table, dict) else {}
    found: object = fields.get("dependencies", [])
    texts = cast("list[object]", found) if isinstance(found, list) else [None]
    if not all(isinstance(each, str) for each in texts):
        raise BadPackageError("pyproject.toml: project.dependencies has to be a list of texts")
    return list(requirement_lines("\n".join(map(str, texts))))


def requirement_lines(text: str) -> Iterator[str]:
    """Yield the requirements of a `requirements.txt`, without what they should hash to.

    Raises:
        BadPackageError: If a line is more than a package and its versions.
    """
    for line in text.replace("\\\n", " ").splitlines():
        plain = _HASH.sub("", _COMMENT.sub("", line)).strip()
        if not plain:
            continue
        if not _is_plain(plain):
            raise BadPackageError(
                f"the requirement {shown_name(plain)} is more than a package and its versions"
            )
        yield plain


def _is_plain(requirement: str) -> bool:
    """Say whether a requirement is a package, its versions and a condition, and nothing else."""
    wanted, _, condition = requirement.partition(";")
    package = _PACKAGE.match(wanted)
    if package is None or "--" in requirement or _CONDITION.fullmatch(condition) is None:
        return False
    versions = wanted[package.end() :].strip().removeprefix("(").removesuffix(")").strip()
    return not versions or all(
        _VERSIONS.fullmatch(each.strip()) is not None for each in versions.split(",")
    )


def pin_requirements(folder: Path, wanted: list[str], terms: PythonTerms, tell: Tell) -> None:
    """Write into a plugin's folder which packages it needs, and what each hashes to.

    Raises:
        BadPackageError: If uv is missing.
        FetchError: If they do not go together, or cannot be had.
    """
    tell(Progress(Stage.PYTHON_PACKAGES))
    if not is_there("uv", terms.environment):
        names = ", ".join(wanted)
        raise BadPackageError(f"it depends on {names}: uv is needed, and not found on PATH")
    asked = terms.home / "requirements.in"
    asked.write_text("\n".join([*wanted, ""]), encoding="utf-8")
    plain = ("--no-header", "--no-annotate", "--no-emit-index-url", "--quiet")
    found = terms.home / REQUIREMENTS_NAME
    _uv(
        terms,
        *("pip", "compile", "--generate-hashes", _WHEELS_ALONE, *plain),
        *("--python", sys.executable, "--default-index", f"{terms.index}/simple"),
        *("--output-file", str(found), str(asked)),
    )
    shutil.copyfile(found, folder / REQUIREMENTS_NAME)


def make_environment(root: Path, plugin_id: str, folder: Path, terms: PythonTerms) -> PythonPlace:
    """Make the environment of a plugin that will stand in `root`, unless it is there.

    Args:
        root: Where plugins are.
        plugin_id: The plugin's id.
        folder: Where it stands at present, with its packages pinned.
        terms: How they are had.

    Raises:
        FetchError: If that fails; then nothing is left of it.
    """
    pinned = folder / REQUIREMENTS_NAME
    place = python_place(root, plugin_id, pinned.read_bytes())
    if place.is_ready:
        return place
    if place.folder.exists():
        shutil.rmtree(place.folder)
    try:
        _uv(terms, "venv", "--quiet", "--python", sys.executable, str(place.folder))
        _uv(
            terms,
            *("pip", "install", "--quiet", "--no-deps", "--require-hashes", _WHEELS_ALONE),
            *("--link-mode", "copy", "--python", str(place.python)),
            *("--default-index", f"{terms.index}/simple", "--requirements", str(pinned)),
        )
        place.ready.touch()
    except BaseException:
        shutil.rmtree(place.folder, ignore_errors=True)
        raise
    return place


def remove_unused_environments(root: Path) -> None:
    """Remove the environments of plugins that are gone, or need others by now."""
    every = root / FOLDER_NAME
    if not every.is_dir():
        return
    places = (python_place_of(each) for each in root.iterdir() if each.is_dir())
    used = {place.folder for place in places if place is not None}
    for each in every.iterdir():
        if each not in used:
            shutil.rmtree(each)


def _uv(terms: PythonTerms, *arguments: str) -> None:
    run_helper(
        HelperRun(
            command=["uv", *arguments, "--no-config", "--no-progress"],
            cwd=terms.home,
            home=terms.home,
            environment=terms.environment,
            more={
                "UV_CACHE_DIR": str(terms.home / "uv-cache"),
                "UV_PYTHON_DOWNLOADS": "never",
                "UV_NO_BUILD": "1",
            },
            timeout_seconds=_SECONDS,
        )
    )


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise BadPackageError(f"{path.name} cannot be read: {error}") from error
