"""Reads the manifest of a plugin that was found once more."""

from dataclasses import replace

from extensions.plugins.admission import ReadAgain
from extensions.plugins.discovery import DiscoverySettings, discover
from extensions.plugins.manifest import Candidate, Manifest
from extensions.plugins.search import SearchRoot
from extensions.plugins.selection import SelectionOptions


def rereading(settings: DiscoverySettings) -> ReadAgain:
    """Return what reads manifests again, as `discover` reads them with these settings."""

    def read(candidate: Candidate) -> Manifest | None:
        # As it is shown, not as it is with links resolved: its name there may be its id.
        root = SearchRoot(
            path=candidate.manifest_path.parent, scope=candidate.scope, project=candidate.project
        )
        alone = replace(
            settings,
            roots=(root,),
            search=replace(settings.search, max_depth=1),
            selection=SelectionOptions(),
        )
        for found in discover(alone).candidates:
            if found.folder == candidate.folder:
                return found.manifest
        return None

    return read
