"""Looks at a plugin that is to be installed, before it stands anywhere."""

import os
import stat
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from extensions.plugins.discovery import MAX_MANIFEST_BYTES, DiscoverySettings, candidate_at
from extensions.plugins.manifest import Level, Manifest
from extensions.plugins.manifest_reading import (
    EXTENSION_TOML,
    MANIFEST_NAMES,
    MCP_TOML,
    PACKAGE_JSON,
    PLUGIN_TOML,
    HostFacts,
    may_be_a_plugin,
)
from extensions.plugins.naming import id_of_name
from extensions.plugins.packages.errors import BadPackageError, IdTakenError
from extensions.plugins.sep_manifest import PACKAGE_KEY
from extensions.plugins.tree_hash import BadTree, hash_tree

Elsewhere = Callable[[str], Path | None]
"""Returns where a plugin of that id is found, wherever; `None`: nowhere."""
_WANTED = (
    f"`{EXTENSION_TOML}`, `{PLUGIN_TOML}`, `{PACKAGE_JSON}` with `{PACKAGE_KEY}` in it"
    f" or `{MCP_TOML}`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """A plugin whose manifest is right."""

    manifest: Manifest
    folder: Path
    """Called as the plugin, where that plays a part."""
    warnings: tuple[str, ...] = ()
    """What is amiss with it all the same."""


def check_manifest(folder: Path, called: str) -> None:
    """Make sure that a folder holds a manifest, be it right or not.

    Raises:
        BadPackageError: If it holds none; it names what is `called` so.
    """
    if not has_manifest(folder):
        raise BadPackageError(f"{called} holds no manifest: {_WANTED} is looked for")


def has_manifest(folder: Path) -> bool:
    """Say whether a folder holds a manifest, be it right or not."""
    return any(_is_manifest(folder, name) for name in MANIFEST_NAMES)


def _is_manifest(folder: Path, name: str) -> bool:
    path = folder / name
    try:
        with open(path, "rb", opener=_opened) as file:
            is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return is_file and may_be_a_plugin(name, file.read(MAX_MANIFEST_BYTES))
    except (FileNotFoundError, IsADirectoryError):
        # Of a link that leads nowhere it is said later that it does.
        return path.is_symlink()
    except OSError:
        # Why it cannot be read is said later, too.
        return True


def _opened(path: str, flags: int) -> int:
    # It may be a pipe, which would be waited on for ever.
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def inspect(folder: Path, name: str, host: HostFacts) -> Inspected:
    """Look at the manifest of a plugin.

    Args:
        folder: The plugin's; it may be renamed.
        name: What the plugin is probably called: one without a name is called as its folder.
        host: What manifests are held against.

    Raises:
        BadPackageError: If it has none, or it is not right.
    """
    wanted = id_of_name(name)
    inspected = look_at(_called(folder, wanted or folder.name), host)
    # It is looked at under the name that it will have: links may lead out of it and in again.
    return look_at(_called(inspected.folder, inspected.manifest.id), host)


def _called(folder: Path, name: str) -> Path:
    """Return a folder that is called so, which it may have to be renamed for."""
    if folder.name == name:
        return folder
    # What stands beside it may be called anything.
    called = Path(tempfile.mkdtemp(prefix="called-", dir=folder.parent)) / name
    return folder.rename(called)


def look_at(folder: Path, host: HostFacts) -> Inspected:
    """Look at the manifest of a plugin, in a folder that stays as it is.

    Raises:
        BadPackageError: If it has none, or it is not right.
    """
    candidate, diagnostics = candidate_at(folder, DiscoverySettings(roots=(), host=host))
    errors = [each.message for each in diagnostics if each.level is Level.ERROR]
    if candidate is None:
        raise BadPackageError("; ".join(errors) or "it holds no manifest")
    warnings = tuple(each.message for each in diagnostics if each.level is Level.WARN)
    return Inspected(manifest=candidate.manifest, folder=folder, warnings=warnings)


def look_at_link(folder: Path, host: HostFacts) -> Inspected:
    """Look at a plugin that stays where it stands, as `look_at` does.

    Raises:
        BadPackageError: If it has no manifest, or that is not right.
    """
    inspected = look_at(folder, host)
    found = hash_tree(folder)
    if not isinstance(found, BadTree):
        return inspected
    # Whoever works on it may mend that at any time.
    return replace(inspected, warnings=(*inspected.warnings, f"it cannot be trusted: {found}"))


def check_id(plugin_id: str, target: Path, elsewhere: Elsewhere) -> None:
    """Make sure that no other plugin has that id.

    Raises:
        IdTakenError: If one has.
    """
    found = elsewhere(plugin_id)
    if found is not None and found != target.resolve():
        raise IdTakenError(plugin_id, found)


def hash_of(folder: Path) -> str:
    """Return what a plugin's folder hashes to.

    Raises:
        BadPackageError: If nobody could vouch for it, so that it could never be trusted.
    """
    found = hash_tree(folder)
    if isinstance(found, BadTree):
        raise BadPackageError(str(found))
    return found.text
