"""Where the Python packages of an installed plugin are, and whether they are there.

They stand beside the plugins, not in the plugin's own folder: a link to Python leads out of that,
so that nobody could vouch for it. What they are is vouched for all the same: which they are, and
what each hashes to, stands in a file in the plugin's folder, and their folder is called by the
hash of that.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

REQUIREMENTS_NAME = "papercup-requirements.txt"
"""In the plugin's folder; it is written when the plugin is installed."""
FOLDER_NAME = ".environments"
"""Beside the plugins; no plugin is looked for in it."""
READY_NAME = "papercup-ready"
"""Written into an environment when all is in it."""
_HASH_DIGITS = 16
_MOST_BYTES = 4 * 1024 * 1024


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
