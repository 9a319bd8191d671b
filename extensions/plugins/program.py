"""Whether the programs that a plugin names are those that it may name.

A program is either part of the plugin's folder, and so of what its trust vouches for, or one that
stands in a folder of PATH, as the operator's own programs do.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from extensions.plugins.manifest import Manifest
from extensions.plugins.mcp_servers import with_root
from extensions.plugins.tree_hash import is_vouched_for


@dataclass(frozen=True, slots=True, kw_only=True)
class BadProgram:
    """A program that a plugin may not be started with."""

    command: str
    reason: str
    """The end of a sentence that begins with the program."""

    def __str__(self) -> str:
        return f"its program {self.command!r} {self.reason}"


def find_program(command: str, folder: Path, search_path: str) -> Path | BadProgram:
    """Return where the program of a plugin stands.

    Args:
        command: As the manifest says.
        folder: The plugin's own.
        search_path: The PATH that it is looked for on.
    """
    if "/" not in command:
        found = shutil.which(command, path=search_path)
        if found is None:
            return BadProgram(command=command, reason="is not found on PATH")
        return Path(found).absolute()
    path = folder / command
    if not is_vouched_for(path, folder) and not _is_on(path, search_path):
        return BadProgram(command=command, reason="is neither in its folder nor on PATH")
    return path if path.is_file() else BadProgram(command=command, reason="is not there")


@dataclass(frozen=True, slots=True, kw_only=True)
class BadArgument:
    """A file that one of a plugin's programs may not be started with."""

    argument: str

    def __str__(self) -> str:
        return f"its argument {self.argument!r} names what no trust in its folder vouches for"


def bad_program(
    manifest: Manifest, folder: Path, search_path: str
) -> BadProgram | BadArgument | None:
    """Return what is wrong with the programs that a manifest names; `None` if nothing is."""
    for command, arguments in _commands(manifest, folder):
        found = find_program(command, folder, search_path)
        if isinstance(found, BadProgram):
            return found
        for each in arguments:
            if _is_unvouched(each, folder):
                return BadArgument(argument=each)
    run = manifest.run
    if run is None or run.sha256 is None:
        return None
    program = find_program(run.command, folder, search_path)
    if isinstance(program, BadProgram):
        return program
    if _sha256(program) != run.sha256.lower():
        return BadProgram(command=run.command, reason="is not the one that its manifest names")
    return None


def _commands(manifest: Manifest, folder: Path) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each program with its arguments."""
    if manifest.run is not None:
        yield manifest.run.command, manifest.run.args
    if manifest.wrapper is not None:
        yield manifest.wrapper.command[0], manifest.wrapper.command[1:]
    for each in manifest.mcp_servers.values():
        server = with_root(each, str(folder))
        if server.command is not None:
            yield server.command, server.args


def _is_unvouched(argument: str, folder: Path) -> bool:
    """Say whether an argument names what is in a plugin's folder and does not count there."""
    # Also as `--file=.git/main.py`.
    parts = {argument, argument.partition("=")[2]} - {""}
    return any(_is_left_out(part, Path(os.path.realpath(folder))) for part in parts)


def _is_left_out(name: str, root: Path) -> bool:
    try:
        # By its name, too: a link in what is left out may lead anywhere.
        ways = {Path(os.path.normpath(root / name)), Path(os.path.realpath(root / name))}
        return any(
            way.is_relative_to(root) and way.exists() and not is_vouched_for(way, root)
            for way in ways
        )
    except (OSError, ValueError):
        # No file can be called so.
        return False


def _is_on(path: Path, search_path: str) -> bool:
    if not path.is_absolute() or ".." in path.parts:
        return False
    folders = {os.path.realpath(each) for each in search_path.split(os.pathsep) if each}
    return os.path.realpath(path.parent) in folders


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
