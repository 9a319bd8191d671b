"""Brings along the Python packages that a plugin depends on: uv puts them into an environment.

Which they are, and what each hashes to, is written down first; then just those are installed, from
wheels alone: nothing is built, so nothing of theirs is run.
"""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from extensions.plugins.packages.environments import (
    FOLDER_NAME,
    REQUIREMENTS_NAME,
    PythonPlace,
    hash_environment,
    look_at_environment,
    python_place,
    python_place_of,
)
from extensions.plugins.packages.errors import BadPackageError, PlacingError
from extensions.plugins.packages.helpers import HelperRun, is_there, run_helper
from extensions.plugins.packages.progress import Progress, Stage, Tell
from extensions.plugins.packages.python_versions import normal_name
from extensions.plugins.packages.sdk_requirements import SDK_NOTE, SDK_OVERRIDE
from extensions.plugins.tree_hash import BadTree

_SECONDS = 300.0
_HASH_LINE = "    --hash="
_PATH_NAME = "papercup.pth"
"""Beside the packages: where Python looks for modules, too."""
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


def pin_requirements(
    folder: Path,
    wanted: list[str],
    terms: PythonTerms,
    tell: Tell,
    *,
    own_integrity: str | None = None,
    requires_sdk: bool = False,
) -> None:
    """Write into a plugin's folder which packages it needs, and what each hashes to.

    Args:
        folder: The plugin's.
        wanted: The packages.
        terms: How they are had.
        tell: Told that this is done.
        own_integrity: What the first of them hashes to, which the plugin itself came in: there may
            be others of that version, for some machines alone. `None`: it came in none.
        requires_sdk: Whether the plugin requires the SDK itself, which is left out then.

    Raises:
        BadPackageError: If uv is missing, or the index has another wheel of the plugin by now.
        FetchError: If they do not go together, or cannot be had.
    """
    tell(Progress(Stage.PYTHON_PACKAGES))
    if not is_there("uv", terms.environment):
        names = ", ".join(wanted)
        raise BadPackageError(f"it depends on {names}: uv is needed, and not found on PATH")
    asked, overrides = terms.home / "requirements.in", terms.home / "overrides.in"
    asked.write_text("\n".join([*wanted, ""]), encoding="utf-8")
    overrides.write_text(f"{SDK_OVERRIDE}\n" if requires_sdk else "", encoding="utf-8")
    plain = ("--no-header", "--no-annotate", "--no-emit-index-url", "--quiet")
    found = terms.home / REQUIREMENTS_NAME
    _uv(
        terms,
        *("pip", "compile", "--generate-hashes", _WHEELS_ALONE, *plain),
        *("--python", sys.executable, "--default-index", f"{terms.index}/simple"),
        *("--override", str(overrides), "--output-file", str(found), str(asked)),
    )
    pinned = found.read_text(encoding="utf-8")
    if own_integrity is not None:
        pinned = held_to(pinned, wanted[0], own_integrity)
    note = SDK_NOTE if requires_sdk else ""
    (folder / REQUIREMENTS_NAME).write_text(note + pinned, encoding="utf-8")


def held_to(pinned: str, requirement: str, integrity: str) -> str:
    """Return what uv has pinned, one of them to just one of its files. Pure.

    Raises:
        BadPackageError: If it has no such file.
    """
    # uv may write the version in another way.
    name = normal_name(requirement.partition("==")[0])
    lines, kept = pinned.splitlines(keepends=True), list[str]()
    is_it = has_it = False
    for line in lines:
        if not line.startswith(" "):
            is_it = line.startswith(f"{name}==")
        if is_it and line.startswith(_HASH_LINE):
            if line.strip(" \\\n") != f"--hash={integrity}":
                continue
            has_it, line = True, f"{_HASH_LINE}{integrity}\n"  # noqa: PLW2901 - the last of it now
        kept.append(line)
    if not has_it:
        raise BadPackageError(f"the index has another {requirement} by now")
    return "".join(kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentWish:
    """Which environment is made."""

    root: Path
    """Where plugins are."""
    plugin_id: str
    folder: Path
    """Where the plugin stands at present, with its packages pinned."""
    sdk_place: PurePath | None = None
    """Where in the plugin's folder the SDK is that it requires; `None`: it requires none."""
    is_anew: bool = False
    """Whether it is made even if there is one that says of itself that it is as it was made."""


def make_environment(wish: EnvironmentWish, terms: PythonTerms) -> bool:
    """Make the environment of a plugin, unless it is there as it was made.

    Returns:
        Whether it is another one than before.

    Raises:
        FetchError, BadPackageError: If that fails; then what was there still is.
        PlacingError: If it would be made elsewhere.
    """
    pinned = wish.folder / REQUIREMENTS_NAME
    place = python_place(wish.root, wish.plugin_id, pinned.read_bytes())
    _check_parent(place.folder.parent)
    found = look_at_environment(place)
    known = found.made if found is not None and found.is_as_made else None
    if known is not None and not wish.is_anew:
        return False
    made = PythonPlace(folder=terms.home / "environment")
    _fill(made, pinned, terms)
    if wish.sdk_place is not None:
        _lead_to(wish.root / wish.plugin_id / wish.sdk_place, made, place)
    text = _hash_of(made)
    if text == known:
        return False
    made.ready.write_text(text, encoding="ascii")
    _put_in_place(made.folder, place.folder, terms.home / "before")
    return True


def _fill(made: PythonPlace, pinned: Path, terms: PythonTerms) -> None:
    # Its programs find their Python from where they stand: it is moved, and so may a project be.
    _uv(terms, "venv", "--quiet", "--relocatable", "--python", sys.executable, str(made.folder))
    _uv(
        terms,
        *("pip", "install", "--quiet", "--no-deps", "--require-hashes", _WHEELS_ALONE),
        *("--link-mode", "copy", "--python", str(made.python)),
        *("--default-index", f"{terms.index}/simple", "--requirements", str(pinned)),
    )


def _check_parent(folder: Path) -> None:
    # Whoever wrote a project may have put anything there.
    if folder.is_symlink():
        raise PlacingError(f"{folder} is a link, and no environment is made elsewhere")
    if folder.exists() and not folder.is_dir():
        raise PlacingError(f"{folder} is no folder, so no environment can stand in it")


def _lead_to(modules: Path, made: PythonPlace, place: PythonPlace) -> None:
    """Have the Python of an environment look for modules in another folder, too."""
    (packages,) = made.folder.glob("lib/python*/site-packages")
    settled = place.folder / packages.relative_to(made.folder)
    path = os.path.relpath(modules, settled)
    (packages / _PATH_NAME).write_text(f"{path}\n", encoding="utf-8")


def _put_in_place(made: Path, folder: Path, before: Path) -> None:
    folder.parent.mkdir(exist_ok=True)
    if os.path.lexists(folder):
        folder.rename(before)
    made.rename(folder)


def _hash_of(place: PythonPlace) -> str:
    found = hash_environment(place)
    if isinstance(found, BadTree):
        raise BadPackageError(f"its Python packages cannot be vouched for: {found}")
    return found.text


def remove_unused_environments(root: Path) -> None:
    """Remove the environments of plugins that are gone, or need others by now."""
    every = root / FOLDER_NAME
    if every.is_symlink() or not every.is_dir():
        # Whoever wrote a project may have put a link there: what it leads to is not ours.
        return
    places = (python_place_of(each) for each in root.iterdir() if each.is_dir())
    used = {place.folder.name for place in places if place is not None}
    inner = os.open(every, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        with os.scandir(inner) as entries:
            folders = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
        for name in set(folders) - used:
            shutil.rmtree(name, dir_fd=inner)
    finally:
        os.close(inner)


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
