"""Brings along the Node packages that a plugin depends on.

Those that come with it are taken as they are. Others have to be pinned by a lock file, with what
each hashes to: then npm installs just those, and runs none of their scripts.

npm has many more ways to be told where packages are, and what to run: by git, by folders, by what
stands in the folders above. So what it reads is looked at first, and it is told not to look
elsewhere.
"""

import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from extensions.plugins.manifest_reading import PACKAGE_JSON
from extensions.plugins.packages.entries import bad_entry, shown_name
from extensions.plugins.packages.errors import BadPackageError
from extensions.plugins.packages.helpers import HelperRun, is_there, run_helper
from extensions.plugins.packages.node_locks import lock_faults, package_faults
from extensions.plugins.packages.progress import Progress, Stage, Tell

LOCK_NAMES = ("npm-shrinkwrap.json", "package-lock.json")
"""Of both the first counts."""
LEAST_NPM = 7
"""Older ones do not know of `lockfileVersion` 2."""
_SETTINGS_FILE = ".npmrc"
_FOLDER = "node_modules"
_SECONDS = 300.0
_VERSION_SECONDS = 30.0
_VERSION = re.compile(r"^(\d{1,9})\.", re.MULTILINE)
_MOST_BYTES = 16 * 1024 * 1024
_NAMED = 5
"""How many of them an error names."""
_SET_ID = stat.S_ISUID | stat.S_ISGID


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
    return [name for name in declared if not _comes_along(folder, name)]


def check_lock(
    folder: Path, missing: list[str], environment: Mapping[str, str], *, registry: str
) -> None:
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
    if os.path.lexists(folder / _SETTINGS_FILE):
        raise BadPackageError(f"its {_SETTINGS_FILE} would say what npm does")
    for why in package_faults(_read(folder / PACKAGE_JSON)):
        raise BadPackageError(f"{PACKAGE_JSON}: {why}")
    for why in lock_faults(_read(folder / lock), registry):
        raise BadPackageError(f"{lock}: {why}")
    if not is_there("npm", environment):
        raise BadPackageError(f"it depends on {names}: npm is needed, and not found on PATH")


def install_node_packages(folder: Path, terms: NodeTerms, tell: Tell) -> None:
    """Install what a plugin's lock file names; `check_lock` has to have taken it.

    Raises:
        FetchError: If that fails.
        BadPackageError: If there is anything in them that cannot be taken.
    """
    tell(Progress(Stage.NODE_PACKAGES))
    _check_version(terms)
    quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
    # Else a project above that names this folder would say what npm does, and which git it runs.
    here = (f"--prefix={folder}", "--no-workspaces")
    run_helper(
        HelperRun(
            command=["npm", "ci", "--ignore-scripts", "--omit=dev", *here, *quiet],
            cwd=folder,
            home=terms.home,
            environment=terms.environment,
            more=_settings(terms),
            timeout_seconds=_SECONDS,
        )
    )
    _refuse_set_ids(folder / _FOLDER)


def _check_version(terms: NodeTerms) -> None:
    """Make sure that npm reads the lock files that are taken here.

    Raises:
        BadPackageError: If it is too old for them.
    """
    said = run_helper(
        HelperRun(
            command=["npm", "--version"],
            cwd=terms.home,
            home=terms.home,
            environment=terms.environment,
            more=_settings(terms),
            timeout_seconds=_VERSION_SECONDS,
        )
    )
    version = _VERSION.search(said)
    if version is None or int(version[1]) < LEAST_NPM:
        found = shown_name(said.strip())
        raise BadPackageError(f"the npm on PATH is {found}: {LEAST_NPM} or newer is needed")


def _settings(terms: NodeTerms) -> dict[str, str]:
    return {
        "npm_config_registry": terms.registry,
        "npm_config_cache": str(terms.home / "npm-cache"),
        "npm_config_fetch_retries": "1",
        "npm_config_fetch_retry_mintimeout": "500",
        # Of both there is none; npm refuses to have one for the other.
        "npm_config_userconfig": str(terms.home / "user.npmrc"),
        "npm_config_globalconfig": str(terms.home / "global.npmrc"),
        # What a lock file may name needs no git. Whatever else would, fails.
        "npm_config_git": "false",
        # Where npm is a proxy of corepack, a package.json would say which npm is run.
        "COREPACK_ENABLE_PROJECT_SPEC": "0",
    }


def _comes_along(folder: Path, name: str) -> bool:
    try:
        return (folder / _FOLDER / name).is_dir()
    except OSError:
        # Nothing can be called that.
        return False


def _refuse_set_ids(folder: Path) -> None:
    for inner, _, names in os.walk(folder):
        for name in names:
            path = Path(inner, name)
            if path.lstat().st_mode & _SET_ID:
                shown = str(path.relative_to(folder.parent))
                raise bad_entry(shown, "would run as another user (setuid or setgid)")


def _read(path: Path) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            return _object(json.loads(file.read(_MOST_BYTES)))
    except (OSError, ValueError, RecursionError) as error:
        raise BadPackageError(f"{path.name} cannot be read: {error}") from error


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
