"""Has a plugin from its source, whichever that is, and checks what came."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import assert_never

from extensions.plugins.packages import npm_registry, pypi_index
from extensions.plugins.packages.archives import unpack_tar_gz, unpack_zip
from extensions.plugins.packages.copying import copy_tree
from extensions.plugins.packages.entries import shown_name
from extensions.plugins.packages.errors import BadPackageError, FetchError
from extensions.plugins.packages.git_fetching import GitPlaces, fetch_repository
from extensions.plugins.packages.inspection import check_manifest, has_manifest
from extensions.plugins.packages.progress import Progress, Stage, Tell
from extensions.plugins.packages.sdk_requirements import declared_in
from extensions.plugins.packages.sources import (
    FolderSource,
    GitSource,
    NpmSource,
    PypiSource,
    Source,
)
from extensions.plugins.packages.web import Registry

NPM = "https://registry.npmjs.org"
PYPI = "https://pypi.org"
_MOST_METADATA_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Where the registries are."""

    npm: str = NPM
    pypi: str = PYPI


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchTerms:
    """How plugins are had."""

    endpoints: Endpoints = field(default_factory=Endpoints)
    environment: Mapping[str, str]
    """This program's own."""
    tell: Tell
    """Told how far it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What came from a source."""

    folder: Path
    """The plugin's."""
    name: str
    """What it is probably called."""
    resolved: Source
    """What exactly it is: with the version, or the commit."""
    integrity: str | None = None
    """What it hashed to, as was said; `None`: nobody said."""
    requirements: tuple[str, ...] = ()
    """The Python packages that it is made of, whatever stands in its folder."""
    declared: tuple[str, ...] = ()
    """What those say that they require themselves."""


def fetch(source: Source, work: Path, terms: FetchTerms) -> Fetched:
    """Have a plugin from its source.

    Args:
        source: The source.
        work: An empty folder, for all that comes.
        terms: How.

    Raises:
        FetchError: If it cannot be had.
        BadPackageError: If what came cannot be taken.
    """
    folder = work / "files"
    folder.mkdir()
    match source:
        case FolderSource():
            return _from_folder(source, folder, terms)
        case NpmSource():
            return _from_npm(source, work, folder, terms)
        case PypiSource():
            return _from_pypi(source, work, folder, terms)
        case GitSource():
            places = GitPlaces(work=work, folder=folder)
            commit = fetch_repository(source, places, terms.environment, terms.tell)
            exact = replace(source, ref=commit)
            return Fetched(folder=folder, name=source.name, resolved=exact)
        case _:
            assert_never(source)


def _from_folder(source: FolderSource, folder: Path, terms: FetchTerms) -> Fetched:
    # Not Path.is_dir(): it raises where the name is too long.
    if not os.path.isdir(source.path):  # noqa: PTH112 - as above
        raise FetchError(f"{shown_name(str(source.path))} is not a folder any more")
    if Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(source.path)):
        raise BadPackageError(f"{source.path} holds the folder to which it would be copied")
    # It may be a whole disk that was named by mistake.
    check_manifest(source.path, shown_name(str(source.path)))
    copy_tree(source.path, folder, tell=terms.tell)
    return Fetched(folder=folder, name=source.name, resolved=source)


def _from_npm(source: NpmSource, work: Path, folder: Path, terms: FetchTerms) -> Fetched:
    terms.tell(Progress(Stage.LOOKING))
    registry = Registry(terms.endpoints.npm)
    path = npm_registry.package_path(source.package)
    document = registry.document(path, accept=npm_registry.ABBREVIATED)
    if document is None:
        raise FetchError(f"{registry.base} has no package {source.package}")
    release = npm_registry.release_of(document, source)
    archive = work / "package.tgz"
    registry.download(release.url, archive, release.digest, terms.tell)
    unpack_tar_gz(archive, folder, strips_root=True, tell=terms.tell)
    return Fetched(
        folder=folder,
        name=source.name,
        resolved=replace(source, version=release.version),
        integrity=release.integrity,
    )


def _from_pypi(source: PypiSource, work: Path, folder: Path, terms: FetchTerms) -> Fetched:
    terms.tell(Progress(Stage.LOOKING))
    index = Registry(terms.endpoints.pypi)
    path = pypi_index.package_path(source.package)
    document = index.document(path, accept=pypi_index.SIMPLE_JSON)
    if document is None:
        raise FetchError(f"{index.base} has no package {source.package}")
    file = pypi_index.file_of(document, source, url=f"{index.base}{path}")
    archive = work / "package"
    index.download(file.url, archive, file.digest, terms.tell)
    if file.is_wheel:
        unpack_zip(archive, folder, tell=terms.tell)
    else:
        unpack_tar_gz(archive, folder, strips_root=True, tell=terms.tell)
    return Fetched(
        folder=_plugin_folder(folder) if file.is_wheel else folder,
        name=source.name,
        resolved=replace(source, version=file.version),
        integrity=f"sha256:{file.sha256}",
        # So that its modules are found, and its programs, wherever its manifest stands.
        requirements=(f"{source.package}=={file.version}",) if file.is_wheel else (),
        declared=tuple(_declared(folder)) if file.is_wheel else (),
    )


def _declared(wheel: Path) -> Iterator[str]:
    for path in sorted(wheel.glob("*.dist-info/METADATA")):
        if path.is_file():
            with path.open("rb") as file:
                yield from declared_in(file.read(_MOST_METADATA_BYTES).decode(errors="replace"))


def _plugin_folder(wheel: Path) -> Path:
    """Return the folder of a wheel in which the manifest stands: a package's, or that of all."""
    if has_manifest(wheel):
        return wheel
    inner = [each for each in sorted(wheel.iterdir()) if each.is_dir() and has_manifest(each)]
    if len(inner) > 1:
        names = ", ".join(each.name for each in inner)
        raise BadPackageError(f"there are several manifests in it, and one is taken: {names}")
    return inner[0] if inner else wheel
