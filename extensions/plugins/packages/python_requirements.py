"""Reads which Python packages a plugin depends on, as it says."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from extensions.plugins.packages.entries import shown_name
from extensions.plugins.packages.errors import BadPackageError

_MOST_BYTES = 4 * 1024 * 1024
_COMMENT = re.compile(r"(^|\s)#.*$")
_HASH = re.compile(r"\s--hash=\S+")
_PACKAGE = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[A-Za-z0-9._,\s-]*\])?")
_VERSIONS = re.compile(r"(?:===?|[<>!~]=|[<>])\s*[A-Za-z0-9][A-Za-z0-9.*+!_-]*")
_CONDITION = re.compile(r"[A-Za-z0-9_.\s()<>=!~'\"+*-]*")


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


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        text = content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise BadPackageError(f"{path.name} cannot be read: {error}") from error
    if len(content) > _MOST_BYTES:
        # Part of it would say something else.
        raise BadPackageError(f"{path.name} is too long")
    return text
