"""Installs plugins, updates them and takes them out again.

What is new is got ready beside what is there, and put in its place at the very end. None of it is
run, nor is any script of theirs.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.naming import is_valid_id
from extensions.plugins.packages.dependencies import Dependent, bring_along, dependencies_of
from extensions.plugins.packages.environments import REQUIREMENTS_NAME
from extensions.plugins.packages.errors import (
    BadIdError,
    LocalChangesError,
    SourceError,
    TargetExistsError,
    UnknownPackageError,
)
from extensions.plugins.packages.fetching import Fetched, FetchTerms, fetch
from extensions.plugins.packages.inspection import (
    Elsewhere,
    Inspected,
    check_id,
    hash_of,
    inspect,
    look_at_link,
)
from extensions.plugins.packages.packages_file import Package
from extensions.plugins.packages.packages_store import read_packages, write_packages
from extensions.plugins.packages.progress import Progress, Stage
from extensions.plugins.packages.python_packages import remove_unused_environments
from extensions.plugins.packages.sources import FolderSource, Source, read_source
from extensions.plugins.packages.workshop import Workshop, open_workshop


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallTerms:
    """What is needed to install plugins."""

    root: Path
    """Where they go."""
    host: HostFacts
    """What manifests are held against."""
    elsewhere: Elsewhere
    """Says where a plugin of an id is found at present."""
    fetching: FetchTerms
    clock: Callable[[], datetime]
    """Returns the time, with its offset."""
    is_trial: bool = False
    """Whether all is checked, but nothing put in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """What was done, or would be."""

    package: Package
    path: Path
    """Where it stands."""
    before: Package | None = None
    """What stood there; `None`: it is new."""
    has_changed: bool = True
    """Whether it is another one than before."""
    warnings: tuple[str, ...] = ()
    """What is amiss with it all the same: a sentence each."""
    depends_on: tuple[str, ...] = ()
    """The packages that were installed for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ready:
    """A plugin that only has to be put in its place."""

    fetched: Fetched
    inspected: Inspected
    hash: str
    depends_on: tuple[str, ...]

    def package(self, source: Source, at: datetime) -> Package:
        manifest = self.inspected.manifest
        return Package(
            id=manifest.id,
            version=manifest.version,
            source=str(source),
            resolved=str(self.fetched.resolved),
            integrity=self.fetched.integrity,
            hash=self.hash,
            at=at.isoformat(timespec="seconds"),
        )


def install(source: Source, terms: InstallTerms) -> Installed:
    """Install a plugin that is not there yet.

    Raises:
        PackageError: If that is not possible; nothing is left of it then.
    """
    with _working(terms) as workshop:

        def check(inspected: Inspected) -> None:
            target = terms.root / inspected.manifest.id
            _check_target(inspected.manifest.id, target, terms)

        ready = _got_ready(source, workshop, terms, check)
        package = ready.package(source, terms.clock())
        if not terms.is_trial:
            _put_in_place(ready, package, workshop)
        return _installed(ready, package, terms, before=None)


def link(folder: Path, terms: InstallTerms) -> Installed:
    """Have a plugin found where it stands, for whoever works on it.

    Raises:
        PackageError: If that is not possible.
    """
    if not folder.is_absolute() or not folder.is_dir():
        raise SourceError(f"{folder} is not an absolute path of a folder, so there is no link")
    with _working(terms):
        inspected = look_at_link(folder, terms.host)
        plugin_id = inspected.manifest.id
        _check_target(plugin_id, terms.root / plugin_id, terms)
        source = FolderSource(path=folder.resolve())
        package = Package(
            id=plugin_id,
            version=inspected.manifest.version,
            source=str(source),
            resolved=str(source),
            at=terms.clock().isoformat(timespec="seconds"),
        )
        if not terms.is_trial:
            packages = read_packages(terms.root)
            write_packages(terms.root, packages.with_package(package))
        return Installed(package=package, path=source.path, warnings=inspected.warnings)


def update(plugin_id: str, terms: InstallTerms, *, loses_changes: bool = False) -> Installed:
    """Bring what its source has by now of a plugin that was installed.

    Args:
        plugin_id: The plugin's id.
        terms: What is needed.
        loses_changes: Whether it is replaced even if it was changed in its place.

    Raises:
        PackageError: If that is not possible; it is as it was then.
    """
    with _working(terms) as workshop:
        before = package_of(plugin_id, terms.root)
        if before.linked_folder is not None:
            raise SourceError(f"{plugin_id} is a link to {before.resolved}: it is always as new")
        source, target = read_source(before.source), terms.root / plugin_id

        def check(inspected: Inspected) -> None:
            if inspected.manifest.id != plugin_id:
                raise SourceError(f"{source} is by now a plugin called {inspected.manifest.id}")

        ready = _got_ready(source, workshop, terms, check)
        present = hash_of(target) if target.is_dir() else None
        is_new = present != ready.hash
        if is_new and present not in {None, before.hash} and not loses_changes:
            raise LocalChangesError(plugin_id, target)
        package = ready.package(source, terms.clock())
        if not terms.is_trial and (is_new or package.resolved != before.resolved):
            _put_in_place(ready, package, workshop)
        return replace(_installed(ready, package, terms, before=before), has_changed=is_new)


def remove(plugin_id: str, terms: InstallTerms) -> Installed:
    """Take a plugin out; one that is a link stays where it stands.

    Raises:
        PackageError: If it is not there, or that is not possible.
    """
    with _working(terms) as workshop:
        package = package_of(plugin_id, terms.root)
        packages = read_packages(terms.root).without(plugin_id)
        if package.linked_folder and not terms.is_trial:
            write_packages(terms.root, packages)
        elif not terms.is_trial:
            with workshop.placing(None, plugin_id):
                write_packages(terms.root, packages)
        path = package.linked_folder or terms.root / plugin_id
        return Installed(package=package, path=path, before=package)


def package_of(plugin_id: str, root: Path) -> Package:
    """Return what is kept of a plugin that was installed.

    Raises:
        BadIdError: If no plugin may be called that.
        UnknownPackageError: If it was not installed there.
        PackagesFileError: If nobody knows.
    """
    if not is_valid_id(plugin_id):
        raise BadIdError(f"{plugin_id!a} is no plugin's id")
    package = read_packages(root).by_id.get(plugin_id)
    if package is None:
        raise UnknownPackageError(f"no plugin called {plugin_id} was installed in {root}")
    return package


@contextmanager
def _working(terms: InstallTerms) -> Generator[Workshop]:
    with open_workshop(terms.root) as workshop:
        try:
            yield workshop
        finally:
            remove_unused_environments(terms.root)


def _check_target(plugin_id: str, target: Path, terms: InstallTerms) -> None:
    known = read_packages(terms.root).by_id.get(plugin_id)
    if known is not None or target.exists() or target.is_symlink():
        raise TargetExistsError(plugin_id, target, is_installed=known is not None)
    check_id(plugin_id, target, terms.elsewhere)


def _got_ready(
    source: Source,
    workshop: Workshop,
    terms: InstallTerms,
    check: Callable[[Inspected], None],
) -> _Ready:
    fetched = fetch(source, workshop.make("fetched"), terms.fetching)
    # Only Papercup writes that.
    (fetched.folder / REQUIREMENTS_NAME).unlink(missing_ok=True)
    inspected = inspect(fetched.folder, fetched.name, terms.host)
    check(inspected)
    plugin = Dependent(
        id=inspected.manifest.id, folder=inspected.folder, root=terms.root, fetched=fetched
    )
    node, python = dependencies_of(plugin, terms.fetching)
    if not terms.is_trial:
        bring_along(plugin, (node, python), workshop.make, terms.fetching)
    terms.fetching.tell(Progress(Stage.CHECKING))
    return _Ready(
        fetched=fetched,
        inspected=inspected,
        hash=hash_of(inspected.folder),
        depends_on=(*node, *python),
    )


def _put_in_place(ready: _Ready, package: Package, workshop: Workshop) -> None:
    packages = read_packages(workshop.root).with_package(package)
    with workshop.placing(ready.inspected.folder, package.id):
        write_packages(workshop.root, packages)


def _installed(
    ready: _Ready, package: Package, terms: InstallTerms, *, before: Package | None
) -> Installed:
    return Installed(
        package=package,
        path=terms.root / package.id,
        before=before,
        warnings=ready.inspected.warnings,
        depends_on=ready.depends_on,
    )
