"""Where plugins are looked for: what the configuration says, and which projects are trusted."""

import importlib.metadata
import logging
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from bot.config import Config
from bot.config_plugins import DEFAULT_SEARCH_PATH
from bot.data_folder import DataFolder
from extensions.plugins.discovery import DiscoverySettings, discover
from extensions.plugins.manifest import Diagnostic, DiscoveryReport, Level, Scope
from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.packages.errors import PackagesFileError
from extensions.plugins.packages.packages_file import Packages
from extensions.plugins.packages.packages_store import read_packages
from extensions.plugins.search import SearchOptions, SearchRoot, shown_path
from extensions.plugins.selection import SelectionOptions
from extensions.plugins.watcher import WatchOptions

OWN_FOLDER = Path(".papercup/plugins")
"""In the home folder, and in a project."""
_SANDBOX_VARIABLE = "SMOOTH_EXTENSION_SANDBOX"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginPlaces:
    """What decides, besides the configuration, where plugins are looked for."""

    home: Path
    working_folder: Path
    """The project in it is looked at, too; its plugins run once that project is trusted."""
    environment: Mapping[str, str]
    """The bot's own."""
    version: str = field(default_factory=lambda: importlib.metadata.version("papercup"))
    """Of Papercup."""

    @property
    def host(self) -> HostFacts:
        """What manifests are held against."""
        is_required = self.environment.get(_SANDBOX_VARIABLE) == "on"
        return HostFacts(version=self.version, requires_sandbox=is_required)


class PluginFinder:
    """Looks for plugins, each time anew."""

    def __init__(self, config: Config, places: PluginPlaces) -> None:
        self._config = config
        self._places = places

    def __call__(self) -> DiscoveryReport:
        """Return which there are; it blocks."""
        return discover(self.settings())

    def settings(self) -> DiscoverySettings:
        """Return where they are looked for at present; it blocks, and reads the database."""
        plugins = self._config.plugins
        own = self._places.home / OWN_FOLDER
        packages = installed_packages(own)
        roots = tuple(_without_twins(self._roots(packages)))
        theirs = (each.path for each in roots if each.scope is Scope.PROJECT)
        return DiscoverySettings(
            roots=roots,
            host=self._places.host,
            search=self._search(),
            selection=SelectionOptions(
                disabled=packages.disabled.union(plugins.disabled),
                allowlist=frozenset(plugins.allowlist),
            ),
            diagnostics=(
                *_faults(own, "; what it links or disables does not count"),
                *(fault for each in theirs for fault in _faults(each, "")),
            ),
        )

    def watch_options(self) -> WatchOptions:
        """Return how changes to manifests are seen, if they are."""
        debounce = self._config.plugins.watch.debounce_ms / 1000
        return WatchOptions(debounce_seconds=debounce, search=self._search())

    def _search(self) -> SearchOptions:
        folder, plugins = DataFolder(self._config.data_dir), self._config.plugins
        return SearchOptions(
            ignored_names=frozenset(plugins.ignore_dirs),
            max_depth=plugins.max_depth,
            follow_links=plugins.follow_links,
            off_limits=(folder.extensions, folder.sessions, folder.run, folder.home),
        )

    def _roots(self, packages: Packages) -> Iterator[SearchRoot]:
        paths = self._config.plugins.search_paths
        is_default = [path.name for path in paths] == [DEFAULT_SEARCH_PATH.name]
        for path in paths:
            yield SearchRoot(path=path, scope=Scope.SEARCH_PATH, is_optional=is_default)
        trusted = trusted_projects(DataFolder(self._config.data_dir).database)
        yield from (_project_root(project) for project in trusted)
        yield _children(self._places.home / OWN_FOLDER, Scope.USER)
        linked = (each.linked_folder for each in packages.by_id.values())
        yield from (_link(folder) for folder in linked if folder is not None)
        yield _children(self._smooth_home() / "extensions", Scope.SMOOTH)
        # Last, so that what is not trusted cannot take the place of what is.
        yield _project_root(Path(os.path.realpath(self._places.working_folder)))

    def _smooth_home(self) -> Path:
        named = self._places.environment.get("SMOOTH_HOME")
        return Path(named) if named else self._places.home / ".smooth"


def trusted_projects(database: Path) -> tuple[Path, ...]:
    """Return the projects that the operator trusts; it blocks.

    Of a database that is not there yet, or comes from before there was such trust, it is none.
    """
    if not database.exists():
        return ()
    try:
        opened = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
        with closing(opened) as connection:
            kept = "SELECT 1 FROM sqlite_master WHERE name = 'trusted_projects'"
            if connection.execute(kept).fetchone() is None:
                return ()
            rows = connection.execute("SELECT folder FROM trusted_projects ORDER BY folder")
            return tuple(Path(folder) for (folder,) in rows)
    except sqlite3.Error as error:
        logger.warning("which projects are trusted cannot be read: %s", error)
        return ()


def installed_packages(root: Path) -> Packages:
    """Return what is kept of the plugins that were installed in a folder; it blocks.

    If that cannot be read it is nothing: what is linked is not found then, nothing is disabled.
    Whoever looks for plugins is told so.
    """
    try:
        return read_packages(root)
    except PackagesFileError:
        return Packages()


def _faults(root: Path, so: str) -> Iterator[Diagnostic]:
    """Yield why it is not known what was installed in a folder, and so what; nothing if it is."""
    try:
        read_packages(root)
    except PackagesFileError as error:
        message = (
            f"it {error.why}{so}; mend it, or take it away:"
            " what stands beside it is then as if put there by hand"
        )
        yield Diagnostic(path=shown_path(error.path), message=message, level=Level.ERROR)


def _link(folder: Path) -> SearchRoot:
    return SearchRoot(path=folder, scope=Scope.USER, is_plugin=True)


def _project_root(project: Path) -> SearchRoot:
    return SearchRoot(
        path=project / OWN_FOLDER,
        scope=Scope.PROJECT,
        project=project,
        has_children_only=True,
        is_optional=True,
    )


def _children(path: Path, scope: Scope) -> SearchRoot:
    return SearchRoot(path=path, scope=scope, has_children_only=True, is_optional=True)


def _without_twins(roots: Iterator[SearchRoot]) -> Iterator[SearchRoot]:
    """Yield each folder once: the home folder may be the one that is worked in."""
    seen: set[str] = set()
    for root in roots:
        real = os.path.realpath(root.path)
        if real not in seen:
            seen.add(real)
            yield root
