"""Installs plugins, updates them and takes them out again.

What is new is got ready beside what is there, and put in its place at the very end. None of it is
run, nor is any script of theirs.
"""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from extensions.plugins.naming import is_valid_id
from extensions.plugins.packages.errors import (
    BadIdError,
    LocalChangesError,
    SourceError,
    TargetExistsError,
    UnknownPackageError,
)
from extensions.plugins.packages.folder_writers import open_folder_warning
from extensions.plugins.packages.inspection import (
    Inspected,
    check_id,
    check_manifest,
    look_at_link,
)
from extensions.plugins.packages.packages_file import Package
from extensions.plugins.packages.packages_store import read_packages, write_packages
from extensions.plugins.packages.preparing import InstallTerms, Ready, got_ready
from extensions.plugins.packages.python_packages import remove_unused_environments
from extensions.plugins.packages.sdk import sdk_warning
from extensions.plugins.packages.sources import FolderSource, Source, read_source
from extensions.plugins.packages.workshop import Workshop, open_workshop
from extensions.plugins.tree_hash import TreeHash, hash_tree


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
    has_new_packages: bool = False
    """Whether its Python packages were installed just now, as they were gone, or had changed."""


def install(source: Source, terms: InstallTerms) -> Installed:
    """Install a plugin that is not there yet.

    Raises:
        PackageError: If that is not possible; nothing is left of it then.
    """
    with _working(terms) as workshop:

        def check(inspected: Inspected) -> None:
            target = terms.root / inspected.manifest.id
            _check_target(inspected.manifest.id, target, terms)

        ready = got_ready(source, workshop, terms, check)
        package = ready.package(source, terms.clock())
        if not terms.is_trial:
            _put_in_place(ready, package, workshop)
        return _installed(ready, package, terms, before=None)


def link(folder: Path, terms: InstallTerms) -> Installed:
    """Have a plugin found where it stands, for whoever works on it.

    Raises:
        PackageError: If that is not possible.
    """
    if not os.path.isdir(folder):  # noqa: PTH112 - never raises
        raise SourceError(f"{folder} is no folder, so there is no link")
    check_manifest(folder, str(folder))
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
        lack = sdk_warning(source.path, inspected.manifest)
        warnings = (
            *inspected.warnings,
            *([] if lack is None else [lack]),
            *_open_warnings(source.path, terms.root),
        )
        return Installed(package=package, path=source.path, warnings=warnings)


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

        ready = got_ready(source, workshop, terms, check)
        present = hash_tree(target) if target.is_dir() else None
        is_new = present != TreeHash(ready.hash)
        is_known = present is None or present == TreeHash(before.hash or "")
        if is_new and not is_known and not loses_changes:
            # What nobody can vouch for was not installed so.
            raise LocalChangesError(target)
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
        # What nobody has any more may have been put there by whoever wrote the project.
        remove_unused_environments(terms.root)
        try:
            yield workshop
        finally:
            remove_unused_environments(terms.root)


def _check_target(plugin_id: str, target: Path, terms: InstallTerms) -> None:
    known = read_packages(terms.root).by_id.get(plugin_id)
    if known is not None or target.exists() or target.is_symlink():
        raise TargetExistsError(plugin_id, target, is_installed=known is not None)
    check_id(plugin_id, target, terms.elsewhere)


def _put_in_place(ready: Ready, package: Package, workshop: Workshop) -> None:
    packages = read_packages(workshop.root).with_package(package)
    with workshop.placing(ready.inspected.folder, package.id):
        write_packages(workshop.root, packages)


def _installed(
    ready: Ready, package: Package, terms: InstallTerms, *, before: Package | None
) -> Installed:
    return Installed(
        package=package,
        path=terms.root / package.id,
        before=before,
        warnings=(
            *ready.inspected.warnings,
            *_open_warnings(terms.root / package.id, terms.root),
        ),
        depends_on=ready.depends_on,
        has_new_packages=ready.has_new_packages,
    )


def _open_warnings(*folders: Path) -> Iterator[str]:
    every = (open_folder_warning(each) for each in folders)
    return (each for each in every if each is not None)
