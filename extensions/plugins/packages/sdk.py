"""Whether a plugin in Python lacks the SDK, and puts a copy of it where Python finds it.

An author who has the SDK in an environment of their own would else offer a plugin that ends with
an import that fails, wherever it is installed.
"""

import ast
import os
import re
import shlex
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from extensions.plugins.manifest import Manifest, RunSpec
from extensions.plugins.packages.environments import REQUIREMENTS_NAME

SDK_PACKAGE = "papercup_plugin"

_PYTHON = re.compile(r"python[0-9.]*")
_NO_SCRIPT = re.compile(r"-[bBdEhiIOPqsSuvVx?]*[mc].*|-", re.DOTALL)
"""What comes before a module or a text, in place of a script."""
_TAKES_A_VALUE = frozenset({"-W", "-X", "--check-hash-based-pycs"})
_IMPORT_LINE = re.compile(rb"^\s*(?:import|from)\s+papercup_plugin\b", re.MULTILINE)
_PINNED = re.compile(rb"^papercup-plugin\s*[=\[]", re.MULTILINE)
_MOST_FILES = 1_000
"""How many are looked at."""
_MOST_BYTES = 1024 * 1024
"""How much of each is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sdk:
    """The SDK that this Papercup has."""

    version: str
    put_into: Callable[[Path], None]
    """Puts a copy of it into a folder that has none."""

    def put_beside(self, folder: Path, manifest: Manifest, *, is_required: bool = False) -> bool:
        """Put a copy where a plugin finds it, if it lacks one, and return whether it did.

        Args:
            folder: The plugin's.
            manifest: What it says of itself.
            is_required: Whether it says that it needs one, which may not be seen from its files.

        Raises:
            OSError: If it cannot be written.
        """
        if is_required:
            place = None if brings_sdk(folder, manifest) else sdk_place(folder, manifest)
        else:
            place = place_without_sdk(folder, manifest)
        if place is None:
            return False
        self.put_into(place)
        return True


def sdk_place(folder: Path, manifest: Manifest) -> Path:
    """Return where a plugin's Python looks first for the SDK."""
    return folder if manifest.run is None else _first_place(folder, manifest.run)


def brings_sdk(folder: Path, manifest: Manifest) -> bool:
    """Say whether a plugin has a copy of its own of the SDK, or what it takes for one."""
    place = sdk_place(folder, manifest)
    return any(os.path.lexists(place / each) for each in (SDK_PACKAGE, f"{SDK_PACKAGE}.py"))


def place_without_sdk(folder: Path, manifest: Manifest) -> Path | None:
    """Return where a plugin's Python looks for the SDK and finds none, though it is imported.

    `None`: it is not imported, or is there, or among the plugin's Python packages. Whether it
    comes with that Python itself is not known.

    Args:
        folder: The plugin's.
        manifest: What it says of itself.
    """
    if manifest.run is None or brings_sdk(folder, manifest) or _is_pinned(folder):
        return None
    place = sdk_place(folder, manifest)
    files = islice(_python_files(place), _MOST_FILES)
    return place if any(imports_sdk(_content(each)) for each in files) else None


def sdk_warning(folder: Path, manifest: Manifest) -> str | None:
    """Return what is amiss with a plugin that lacks the SDK, and the mend; `None`: it does not."""
    place = place_without_sdk(folder, manifest)
    if place is None:
        return None
    if place != folder:
        return f"it imports {SDK_PACKAGE}, which is not in its folder {place.relative_to(folder)}"
    order = f"`papercup plugin vendor {shlex.quote(str(folder))}`"
    return f"it imports {SDK_PACKAGE}, which is not in its folder: {order} puts it there"


def imports_sdk(source: bytes) -> bool:
    """Say whether the text of a Python file imports the SDK. Pure."""
    if SDK_PACKAGE.encode() not in source:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # It may be written for a newer Python than this one.
        return _IMPORT_LINE.search(source) is not None
    return any(_names_sdk(node) for node in ast.walk(tree))


def _names_sdk(node: ast.AST) -> bool:
    match node:
        case ast.Import():
            names = [each.name for each in node.names]
        case ast.ImportFrom(module=str(name), level=0):
            names = [name]
        case _:
            return False
    return any(name.partition(".")[0] == SDK_PACKAGE for name in names)


def _first_place(folder: Path, run: RunSpec) -> Path:
    """Return the folder in which Python looks first for what a plugin imports."""
    is_python = _PYTHON.fullmatch(run.command.rpartition("/")[2]) is not None
    script = _script_of(run.args) if is_python else run.command if "/" in run.command else None
    if script is None:
        # That of the module, or of whatever a program that is not known to be one starts.
        return folder
    place = Path(os.path.realpath(folder / script)).parent
    root = Path(os.path.realpath(folder))
    inner = place.relative_to(root) if place.is_relative_to(root) else Path()
    return folder / inner


def _script_of(arguments: Sequence[str]) -> str | None:
    """Return the file among the arguments of Python; `None`: it runs a module, or a text."""
    rest = iter(arguments)
    for each in rest:
        if _NO_SCRIPT.fullmatch(each) is not None:
            return None
        if not each.startswith("-"):
            return each
        if each in _TAKES_A_VALUE:
            next(rest, None)
    return None


def _python_files(place: Path) -> Iterator[Path]:
    """Yield the Python files in a folder, and those in the packages in it."""
    folders = [place]
    while folders:
        for entry in sorted(_entries(folders.pop())):
            if entry.suffix == ".py":
                yield entry
            elif not entry.is_symlink() and _is_file(entry / "__init__.py"):
                folders.append(entry)


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        # Who has to be able to read it is told so elsewhere.
        return []


def _is_pinned(folder: Path) -> bool:
    return _PINNED.search(_content(folder / REQUIREMENTS_NAME)) is not None


def _content(path: Path) -> bytes:
    # Also a pipe may be called so, which would be waited on.
    if not _is_file(path):
        return b""
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return b""


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
