"""Brings along the Node packages that a plugin depends on.

Those that come with it are taken as they are. Others have to be pinned by a lock file, with what
each hashes to: then npm installs just those, and runs none of their scripts.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from extensions.plugins.manifest_reading import PACKAGE_JSON
from extensions.plugins.packages.entries import shown_name
from extensions.plugins.packages.errors import BadPackageError
from extensions.plugins.packages.helpers import HelperRun, is_there, run_helper
from extensions.plugins.packages.progress import Progress, Stage, Tell

LOCK_NAMES = ("npm-shrinkwrap.json", "package-lock.json")
"""Of both the first counts."""
_SETTINGS_FILE = ".npmrc"
_SECONDS = 300.0
_LEAST_LOCK_VERSION = 2
_MOST_BYTES = 16 * 1024 * 1024
_NAMED = 5
"""How many of them an error names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTerms:
    """How Node packages are had."""

    registry: str
    """The address of npm's registry."""
    home: Path
    """An empty folder, for what is only needed meanwhile."""
    environment: Mapping[str, str]
    """This program's own."""


def missing_node_packages(folder: Path) -> list[str]:
    """Return the packages that a plugin depends on and that do not come with it.

    Raises:
        BadPackageError: If that cannot be read.
    """
    path = folder / PACKAGE_JSON
    if not path.is_file():
        return []
    declared = _object(_read(path).get("dependencies"))
    return [name for name in declared if not (folder / "node_modules" / name).is_dir()]


def check_lock(folder: Path, missing: list[str], environment: Mapping[str, str]) -> None:
    """Make sure that it is known what is to be installed, and that it can be.

    Raises:
        BadPackageError: If not.
    """
    names = ", ".join(shown_name(each) for each in missing[:_NAMED])
    names += "" if len(missing) <= _NAMED else " and more"
    lock = next((name for name in LOCK_NAMES if (folder / name).is_file()), None)
    if lock is None:
        raise BadPackageError(
            f"it depends on {names}, and has neither them nor a {' or a '.join(LOCK_NAMES)} that"
            " says which they are"
        )
    if (folder / _SETTINGS_FILE).exists():
        raise BadPackageError(f"its {_SETTINGS_FILE} would say what npm does")
    for why in lock_faults(_read(folder / lock)):
        raise BadPackageError(f"{lock}: {why}")
    if not is_there("npm", environment):
        raise BadPackageError(f"it depends on {names}: npm is needed, and not found on PATH")


def install_node_packages(folder: Path, terms: NodeTerms, tell: Tell) -> None:
    """Install what a plugin's lock file names; `check_lock` has to have taken it.

    Raises:
        FetchError: If that fails.
    """
    tell(Progress(Stage.NODE_PACKAGES))
    quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
    run_helper(
        HelperRun(
            command=["npm", "ci", "--ignore-scripts", "--omit=dev", *quiet],
            cwd=folder,
            home=terms.home,
            environment=terms.environment,
            more={
                "npm_config_registry": terms.registry,
                "npm_config_cache": str(terms.home / "npm-cache"),
                "npm_config_fetch_retries": "1",
                "npm_config_fetch_retry_mintimeout": "500",
                # Of both there is none; npm refuses to have one for the other.
                "npm_config_userconfig": str(terms.home / "user.npmrc"),
                "npm_config_globalconfig": str(terms.home / "global.npmrc"),
            },
            timeout_seconds=_SECONDS,
        )
    )


def lock_faults(lock: Mapping[str, Any]) -> Iterator[str]:
    """Yield why what a lock file names cannot be installed; nothing if it can."""
    version, packages = lock.get("lockfileVersion"), lock.get("packages")
    if not isinstance(version, int) or version < _LEAST_LOCK_VERSION or not packages:
        yield f"its lockfileVersion has to be {_LEAST_LOCK_VERSION} or more"
    for name, package in _object(packages).items():
        if name and (why := _fault(_object(package))) is not None:
            yield f"{shown_name(name)} {why}"


def _fault(package: Mapping[str, Any]) -> str | None:
    if package.get("inBundle"):
        return None
    if package.get("link"):
        return "is a link"
    place, integrity = package.get("resolved"), package.get("integrity")
    if not isinstance(place, str) or urlsplit(place).scheme not in {"https", "http"}:
        return "does not come from a registry"
    if not isinstance(integrity, str) or not integrity.startswith("sha512-"):
        return "does not say what it has to hash to (a sha512 is missing)"
    return None


def _read(path: Path) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            return _object(json.loads(file.read(_MOST_BYTES)))
    except (OSError, ValueError, RecursionError) as error:
        raise BadPackageError(f"{path.name} cannot be read: {error}") from error


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
