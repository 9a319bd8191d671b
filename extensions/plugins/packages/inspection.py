"""Looks at a plugin that is to be installed, before it stands anywhere."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from extensions.plugins.discovery import DiscoverySettings, candidate_at
from extensions.plugins.manifest import Level, Manifest
from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.naming import id_of_name
from extensions.plugins.packages.errors import BadPackageError, IdTakenError
from extensions.plugins.tree_hash import BadTree, hash_tree

Elsewhere = Callable[[str], Path | None]
"""Returns where a plugin of that id is found, wherever; `None`: nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """A plugin whose manifest is right."""

    manifest: Manifest
    folder: Path
    """Called as the plugin, where that plays a part."""
    warnings: tuple[str, ...] = ()
    """What is amiss with it all the same."""


def inspect(folder: Path, name: str, host: HostFacts) -> Inspected:
    """Look at the manifest of a plugin.

    Args:
        folder: The plugin's; it may be renamed.
        name: What the plugin is probably called: one without a name is called as its folder.
        host: What manifests are held against.

    Raises:
        BadPackageError: If it has none, or it is not right.
    """
    called = folder
    if (wanted := id_of_name(name)) is not None and folder.name != wanted:
        called = folder.parent / "called" / wanted
        called.parent.mkdir()
        folder.rename(called)
    return look_at(called, host)


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
