"""Copies of this package beside plugins, of which it is known whether somebody has changed them."""

import hashlib
import shutil
from collections.abc import Iterator
from enum import Enum, auto
from pathlib import Path

import papercup_plugin

PACKAGE = Path(papercup_plugin.__file__).parent
_MARK = "copy.sha256"
"""A file in each copy: what stands beside it when nobody has changed it."""
_LEFT_OUT = ("__pycache__", "*.pyc", "templates")
_PERMISSIONS = 0o755


class CopyState(Enum):
    """What stands where a copy is to be put."""

    MISSING = auto()
    NEWEST = auto()
    """A copy of this very package."""
    ANOTHER = auto()
    """A copy of another version, as it was made."""
    NO_COPY = auto()
    """Something else, or a copy that somebody has changed."""


def copy_into(folder: Path) -> None:
    """Put a copy into a folder; raises OSError."""
    target = folder / PACKAGE.name
    shutil.copytree(PACKAGE, target, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    target.chmod(_PERMISSIONS)
    (target / _MARK).write_text(f"{_digest(target)}\n", encoding="ascii")


def state_of(target: Path) -> CopyState:
    """Return what stands there; raises OSError."""
    if target.is_symlink() or (target.exists() and not (target / _MARK).is_file()):
        return CopyState.NO_COPY
    if not target.exists():
        return CopyState.MISSING
    found = _digest(target)
    if (target / _MARK).read_text(encoding="utf-8", errors="replace").strip() != found:
        return CopyState.NO_COPY
    return CopyState.NEWEST if found == _digest(PACKAGE) else CopyState.ANOTHER


def _digest(folder: Path) -> str:
    whole = hashlib.sha256()
    for file in sorted(_files(folder)):
        name = file.relative_to(folder).as_posix()
        whole.update(f"{name}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    """Yield what a copy consists of; what Python compiles there while it runs is none of it."""
    for path in folder.rglob("*"):
        parts = path.relative_to(folder)
        is_left_out = any(Path(part).match(name) for part in parts.parts for name in _LEFT_OUT)
        if path.is_file() and not is_left_out and parts.name != _MARK:
            yield path
