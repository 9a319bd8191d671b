"""Gets plugins ready to be put in their places: with all that they depend on."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.packages.dependencies import Dependent, bring_along, dependencies_of
from extensions.plugins.packages.entries import bad_entry
from extensions.plugins.packages.environments import REQUIREMENTS_NAME
from extensions.plugins.packages.fetching import Fetched, FetchTerms, fetch
from extensions.plugins.packages.inspection import (
    Elsewhere,
    Inspected,
    check_manifest,
    hash_of,
    inspect,
)
from extensions.plugins.packages.packages_file import Package
from extensions.plugins.packages.progress import Progress, Stage
from extensions.plugins.packages.sdk import Sdk, brings_sdk, sdk_place
from extensions.plugins.packages.sdk_requirements import check_sdk_versions
from extensions.plugins.packages.sources import Source
from extensions.plugins.packages.workshop import Workshop


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
    sdk: Sdk
    """What plugins in Python get that import it and lack it."""
    clock: Callable[[], datetime]
    """Returns the time, with its offset."""
    in_project: bool = False
    """Whether that is a project's folder, of which somebody else may have written anything."""
    is_trial: bool = False
    """Whether all is checked, but nothing put in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A plugin that only has to be put in its place. Get one from `got_ready`."""

    fetched: Fetched
    inspected: Inspected
    hash: str
    """Of its folder."""
    depends_on: tuple[str, ...]
    """The packages that were installed for it."""
    sdk: str | None
    """The version of the SDK that was put beside it; `None`: none was."""
    has_new_packages: bool
    """Whether its Python packages were installed just now."""

    def package(self, source: Source, at: datetime) -> Package:
        """Return what is kept of it."""
        manifest = self.inspected.manifest
        return Package(
            id=manifest.id,
            version=manifest.version,
            source=str(source),
            resolved=str(self.fetched.resolved),
            integrity=self.fetched.integrity,
            hash=self.hash,
            sdk=self.sdk,
            at=at.isoformat(timespec="seconds"),
        )


def got_ready(
    source: Source,
    workshop: Workshop,
    terms: InstallTerms,
    check: Callable[[Inspected], None],
) -> Ready:
    """Have a plugin from its source, with what it depends on, and nothing of it in its place.

    Args:
        source: The source.
        workshop: Where it is got ready.
        terms: What is needed.
        check: Raises an error if what came is not to be installed.

    Raises:
        PackageError: If it cannot be had, or taken.
    """
    fetched = fetch(source, workshop.make("fetched"), terms.fetching)
    check_manifest(fetched.folder, str(fetched.resolved))
    _remove_requirements(fetched.folder)
    inspected = inspect(fetched.folder, fetched.name, terms.host)
    check(inspected)
    folder, manifest = inspected.folder, inspected.manifest
    plugin = _dependent(fetched, inspected, terms)
    wanted = dependencies_of(plugin, terms.fetching)
    if not brings_sdk(folder, manifest):
        check_sdk_versions(wanted.sdk, terms.sdk.version)
    has_new_packages = bring_along(
        plugin, wanted, workshop.make, terms.fetching, is_trial=terms.is_trial
    )
    has_sdk = terms.sdk.put_beside(folder, manifest, is_required=bool(wanted.sdk))
    terms.fetching.tell(Progress(Stage.CHECKING))
    return Ready(
        fetched=fetched,
        inspected=inspected,
        hash=hash_of(folder),
        depends_on=(*wanted.node, *wanted.python),
        sdk=terms.sdk.version if has_sdk else None,
        has_new_packages=has_new_packages,
    )


def _dependent(fetched: Fetched, inspected: Inspected, terms: InstallTerms) -> Dependent:
    folder, manifest = inspected.folder, inspected.manifest
    return Dependent(
        id=manifest.id,
        folder=folder,
        root=terms.root,
        fetched=fetched,
        sdk_place=sdk_place(folder, manifest).relative_to(folder),
        is_in_project=terms.in_project,
    )


def _remove_requirements(folder: Path) -> None:
    """Remove what only Papercup writes.

    Raises:
        BadPackageError: If it is a folder.
    """
    path = folder / REQUIREMENTS_NAME
    if path.is_dir() and not path.is_symlink():
        raise bad_entry(
            REQUIREMENTS_NAME, "is a folder, and only Papercup writes what is called so"
        )
    path.unlink(missing_ok=True)
