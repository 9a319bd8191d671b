"""Where plugins work, and the programs that are run for them."""

from dataclasses import dataclass, field
from pathlib import Path

from extensions.hooks import Occasion
from extensions.plugins.manifest import Candidate
from extensions.plugins.services import Workspace

OWN_FOLDER = "workspace"
"""Within a plugin's folder of data. What stands beside it is out of reach of what runs in the jail:
what Python compiled for the plugin's own program, which no jail holds, and its credentials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginWorkspaces:
    """Knows them, and makes those that are the plugins' own."""

    plugins_folder: Path
    """Where each plugin has a folder of data, by its id."""
    sessions_folder: Path
    """Where each session has one, by its id."""
    _found: dict[str, Path] = field(default_factory=dict[str, Path])
    """In which folder each plugin was found that was started."""

    def of(self, candidate: Candidate) -> Workspace:
        """Return what a plugin is told of where it works."""
        self._found[candidate.id] = candidate.folder
        # Of a project's plugin it is the project, which is trusted, or it would not run.
        return Workspace(root=candidate.project or self._own(candidate.id), trusted=True)

    def of_call(self, plugin_id: str, occasion: Occasion) -> Path:
        """Return the folder that programs may change which are run for a plugin; it blocks."""
        if occasion.session_id is not None:
            return self.sessions_folder / occasion.session_id
        return self._own(plugin_id)

    def found_in(self, plugin_id: str) -> Path | None:
        """Return the folder of a plugin that was started, which its programs may read."""
        return self._found.get(plugin_id)

    def _own(self, plugin_id: str) -> Path:
        folder = self.plugins_folder / plugin_id / OWN_FOLDER
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder
