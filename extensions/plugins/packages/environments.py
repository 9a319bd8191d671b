"""Where the Python packages of an installed plugin are, and whether they are there.

They stand beside the plugins, not in the plugin's own folder: a link to Python leads out of that,
so that nobody could vouch for it. What they are is vouched for all the same: which they are, and
what each hashes to, stands in a file in the plugin's folder, and their folder is called by the
hash of that. What stands in it hashes to something, too.
"""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from extensions.plugins.tree_hash import BadTree, TreeHash, TreeLimits, hash_tree

REQUIREMENTS_NAME = "papercup-requirements.txt"
"""In the plugin's folder; it is written when the plugin is installed."""
FOLDER_NAME = ".environments"
"""Beside the plugins; no plugin is looked for in it."""
READY_NAME = "papercup-ready"
"""Written into an environment when all is in it: what it hashes to."""
MOST_FILES = 100_000
"""Of an environment, folders and links included."""
MOST_BYTES = 4_000_000_000
"""Of all of its files together."""
_HASH_DIGITS = 16
_MOST_BYTES = 4 * 1024 * 1024
_MOST_MADE_BYTES = 256
_PYTHON_LINK = re.compile(r"bin/python[0-9.]*")
_SETTINGS_NAME = "pyvenv.cfg"
_LIMITS = TreeLimits(
    files=MOST_FILES,
    bytes=MOST_BYTES,
    left_out=READY_NAME,
    may_lead_out=lambda path: _PYTHON_LINK.fullmatch(path) is not None,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonPlace:
    """Where a plugin's Python packages are."""

    folder: Path
    """Of the environment."""

    @property
    def bin(self) -> Path:
        """Where its Python is, and the programs that came with the packages."""
        return self.folder / "bin"

    @property
    def python(self) -> Path:
        """Its Python."""
        return self.bin / "python"

    @property
    def ready(self) -> Path:
        """What is there once all is in it."""
        return self.folder / READY_NAME

    @property
    def is_ready(self) -> bool:
        """Whether all is in it, and its Python is still there."""
        return self.ready.is_file() and self.python.exists()


def python_place(root: Path, plugin_id: str, requirements: bytes) -> PythonPlace:
    """Return where the packages belong of a plugin in the folder `root`."""
    digits = hashlib.sha256(requirements).hexdigest()[:_HASH_DIGITS]
    return PythonPlace(folder=root / FOLDER_NAME / f"{plugin_id}-{digits}")


def python_place_of(folder: Path) -> PythonPlace | None:
    """Return where the packages are of the plugin in a folder; `None` if it has none of its own.

    Raises:
        OSError: If it cannot be read which they are.
    """
    path = folder / REQUIREMENTS_NAME
    if not path.is_file():
        return None
    with path.open("rb") as file:
        requirements = file.read(_MOST_BYTES)
    return python_place(folder.parent, folder.name, requirements)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEnvironment:
    """What an environment is."""

    hash: TreeHash | BadTree
    made: str
    """What it hashed to when it was made."""

    @property
    def is_as_made(self) -> bool:
        """Whether nothing in it has changed since."""
        return isinstance(self.hash, TreeHash) and self.hash.text == self.made


def look_at_environment(place: PythonPlace, project: Path | None = None) -> FoundEnvironment | None:
    """Return what an environment is, as `hash_environment` does; `None`: it is not ready."""
    if not place.is_ready:
        return None
    try:
        with place.ready.open("rb") as file:
            made = file.read(_MOST_MADE_BYTES).decode(errors="replace")
    except OSError:
        return None
    return FoundEnvironment(hash=hash_environment(place, project), made=made)


def hash_environment(place: PythonPlace, project: Path | None = None) -> TreeHash | BadTree:
    """Return what an environment hashes to, or why it cannot be vouched for.

    Its Python and that one's own modules stand elsewhere, and do not count: they are the
    operator's. So they must not come with a project.

    Args:
        place: The environment.
        project: The one in which it stands; `None`: in none.
    """
    if project is not None and (bad := _foreign_python(place, Path(os.path.realpath(project)))):
        return bad
    return hash_tree(place.folder, _LIMITS)


def _foreign_python(place: PythonPlace, project: Path) -> BadTree | None:
    own = Path(os.path.realpath(place.folder))
    for path in place.bin.glob("python*"):
        real = Path(os.path.realpath(path))
        if real.is_relative_to(project) and not real.is_relative_to(own):
            return BadTree(path=f"bin/{path.name}", reason="leads to a Python in the project")
    try:
        settings = (place.folder / _SETTINGS_NAME).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        return BadTree(path=_SETTINGS_NAME, reason=f"cannot be read ({error})")
    for line in settings.splitlines():
        key, _, value = line.partition("=")
        home = Path(os.path.realpath(place.folder / value.strip()))
        if key.strip().lower() == "home" and home.is_relative_to(project):
            return BadTree(path=_SETTINGS_NAME, reason="names a Python in the project")
    return None
