"""Where a plugin that was installed came from, as the file beside it says."""

from dataclasses import dataclass

from extensions.plugins.manifest import Candidate, Scope
from extensions.plugins.packages.errors import PackagesFileError, SourceError
from extensions.plugins.packages.packages_file import Package
from extensions.plugins.packages.packages_store import read_packages
from extensions.plugins.packages.sources import read_source
from extensions.plugins.tree_hash import BadTree, TreeHash


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a plugin came from."""

    resolved: str
    """What exactly was installed, as `npm:@me/dice@1.2.3`."""
    is_unchanged: bool
    """Whether its folder is still as it was then."""
    is_known: bool
    """Whether Papercup wrote that down for this user; else whoever wrote the project may have."""

    @property
    def proven(self) -> str | None:
        """The same, if that is what stands there by all that is known; else `None`."""
        return self.resolved if self.is_unchanged and self.is_known else None


def origin_of(candidate: Candidate, found: TreeHash | BadTree) -> Origin | None:
    """Return where a plugin came from; `None`: it was not installed, or nobody knows. It blocks.

    Args:
        candidate: The plugin.
        found: What its folder holds now.
    """
    if candidate.scope not in {Scope.USER, Scope.PROJECT} or candidate.folder.name != candidate.id:
        return None
    try:
        package = read_packages(candidate.folder.parent).by_id.get(candidate.id)
        if package is None or package.hash is None:
            return None
        resolved = str(read_source(package.resolved))
    except (PackagesFileError, SourceError):
        # Whoever installs, updates or lists plugins is told so.
        return None
    return Origin(
        resolved=resolved,
        is_unchanged=_is_as_installed(package, found),
        is_known=candidate.scope is Scope.USER,
    )


def _is_as_installed(package: Package, found: TreeHash | BadTree) -> bool:
    return isinstance(found, TreeHash) and found.text == package.hash
