"""Finds the plugins that there are, without running any."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from extensions.plugins.environment import unserved_variables
from extensions.plugins.manifest import (
    Candidate,
    Diagnostic,
    DiscoveryReport,
    Level,
    Manifest,
    Scope,
)
from extensions.plugins.manifest_reading import (
    EXTENSION_TOML,
    MANIFEST_NAMES,
    MCP_TOML,
    PACKAGE_JSON,
    PLUGIN_TOML,
    SIDECAR_NAMES,
    HostFacts,
    may_be_a_plugin,
    read_manifest,
    read_sidecar,
    with_servers,
)
from extensions.plugins.manifest_values import ManifestError
from extensions.plugins.search import FoundFolder, Search, SearchOptions, SearchRoot
from extensions.plugins.selection import SelectionOptions, select

MAX_MANIFEST_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoverySettings:
    """Where plugins are looked for, and which of them count."""

    roots: Sequence[SearchRoot]
    """Of several plugins with one id, that of the first counts."""
    host: HostFacts
    search: SearchOptions = field(default_factory=SearchOptions)
    selection: SelectionOptions = field(default_factory=SelectionOptions)
    diagnostics: Sequence[Diagnostic] = ()
    """What was amiss already with what says where to look, and for what."""


def discover(settings: DiscoverySettings) -> DiscoveryReport:
    """Look for plugins, and return those that count; it blocks, and never raises.

    What is wrong with a manifest keeps none of the others from being found.
    """
    search = Search(settings.search, list(settings.diagnostics))
    scanned = 0
    found: list[Candidate] = []
    for folder in search.folders(settings.roots):
        names = list(_manifest_names(folder, search))
        scanned += bool(names)
        if names:
            found += _candidate(folder, names[0], settings, search)
    return select(found, search.diagnostics, settings.selection, scanned_folders=scanned)


def candidate_at(
    path: Path, settings: DiscoverySettings
) -> tuple[Candidate | None, tuple[Diagnostic, ...]]:
    """Read one manifest, and return what is wrong with it; it blocks, and never raises.

    Args:
        path: The manifest, or the plugin's folder.
        settings: What it is held against; which plugins count plays no part.
    """
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - links are to stay as they are
    folder = absolute if absolute.is_dir() else absolute.parent
    search = Search(replace(settings.search, max_depth=1, off_limits=()))
    found: list[Candidate] = []
    names: list[str] = []
    for each in search.folders([SearchRoot(path=folder, scope=Scope.SEARCH_PATH)]):
        names += _manifest_names(each, search) if folder == absolute else {absolute.name}
        if names and names[0] in each.names:
            found += _candidate(each, names[0], settings, search)
    if not found and not search.diagnostics:
        wanted = ", ".join(f"`{name}`" for name in MANIFEST_NAMES)
        search.add(Level.ERROR, absolute, f"it is no manifest: those are called {wanted}")
    return (found[0] if found else None), tuple(sorted(search.diagnostics))


def _manifest_names(folder: FoundFolder, search: Search) -> Iterator[str]:
    """Yield the names of the files that are manifests, the one that counts first."""
    names = [name for name in MANIFEST_NAMES if name in folder.names]
    if PACKAGE_JSON in names and not _is_of_a_plugin(folder):
        names.remove(PACKAGE_JSON)
    if {EXTENSION_TOML, PLUGIN_TOML} <= set(names):
        message = f"folder has `{PLUGIN_TOML}`, too; using `{EXTENSION_TOML}`"
        search.add(Level.WARN, f"{folder.shown_path}/{EXTENSION_TOML}", message)
    yield from names


def _is_of_a_plugin(folder: FoundFolder) -> bool:
    try:
        return may_be_a_plugin(PACKAGE_JSON, _content(f"{folder.real_path}/{PACKAGE_JSON}"))
    except OSError:
        return False


def _candidate(
    folder: FoundFolder, name: str, settings: DiscoverySettings, search: Search
) -> Iterator[Candidate]:
    path = f"{folder.shown_path}/{name}"
    try:
        content = _content(f"{folder.real_path}/{name}")
        folder_name = folder.shown_path.rpartition("/")[2]
        manifest = read_manifest(name, content, folder_name=folder_name, host=settings.host)
    except ManifestError as error:
        search.add(Level.ERROR, path, error.reason)
        return
    except OSError as error:
        search.add(Level.ERROR, path, f"failed to read manifest: {error.strerror}")
        return
    if search.is_around_jobs(folder.real_path):
        search.add(Level.ERROR, path, "plugin folder holds one in which jobs write")
        return
    if not manifest.mcp_servers and name != MCP_TOML:
        manifest = _with_sidecar(manifest, folder, search)
    unserved = (*manifest.unserved, *unserved_variables(manifest))
    manifest = replace(manifest, unserved=unserved)
    for sentence in manifest.unserved:
        search.add(Level.WARN, path, sentence)
    yield Candidate(
        manifest=manifest,
        folder=Path(folder.real_path),
        manifest_path=Path(path),
        scope=folder.root.scope,
        root_index=folder.root_index,
        project=folder.root.project,
    )


def _with_sidecar(manifest: Manifest, folder: FoundFolder, search: Search) -> Manifest:
    name = next((name for name in SIDECAR_NAMES if name in folder.names), None)
    if name is None:
        return manifest
    path = f"{folder.shown_path}/{name}"
    try:
        content = _content(f"{folder.real_path}/{name}")
        return with_servers(manifest, read_sidecar(name, content))
    except ManifestError as error:
        search.add(Level.WARN, path, f"ignoring invalid sidecar MCP declaration: {error}")
    except (OSError, ValueError) as error:
        search.add(Level.WARN, path, f"failed to parse sidecar MCP file: {_reason(error)}")
    return manifest


def _content(file: str) -> bytes:
    """Return what a regular file holds.

    Raises:
        OSError: If it cannot be read, is something else, or is too large to be a manifest.
    """
    # Not to wait for whoever writes into it, should it have become a pipe meanwhile.
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        if status.st_size > MAX_MANIFEST_BYTES:
            raise OSError(errno.EFBIG, "it is larger than 1 MiB")
        # It may grow while it is read, but not beyond that.
        return os.read(descriptor, MAX_MANIFEST_BYTES)
    finally:
        os.close(descriptor)


def _reason(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) else None
    return " ".join((text or str(error)).split())
