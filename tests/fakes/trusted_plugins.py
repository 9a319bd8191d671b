"""Plugins on the disk that an operator may trust."""

from pathlib import Path

from extensions.plugins.discovery import DiscoverySettings
from extensions.plugins.manifest import Scope
from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.search import SearchRoot

MANIFEST = """\
name = "{name}"
version = "1.0.0"
protocol = 1

[run]
command = "{command}"
args = ["main.py"]
env = {{ DICE_SEED = "${{env:DICE_SEED}}" }}

[capabilities]
tools = true
exec = {wants_exec}
events = ["turn_start"]
"""


def make_plugin(
    folder: Path,
    name: str = "dice",
    *,
    wants_exec: bool = True,
    command: str = "python3",
    main: str = "print('rolled')\n",
) -> Path:
    """Write a plugin into a folder of its own in `folder`, and return that."""
    plugin = folder / name
    plugin.mkdir(parents=True)
    text = MANIFEST.format(name=name, command=command, wants_exec=str(wants_exec).lower())
    (plugin / "extension.toml").write_text(text)
    (plugin / "main.py").write_text(main)
    return plugin


def settings_of(*roots: Path, project: Path) -> DiscoverySettings:
    """Return how plugins are found in these folders, and in that project."""
    searched = [SearchRoot(path=root, scope=Scope.USER, has_children_only=True) for root in roots]
    theirs = SearchRoot(
        path=project / ".papercup" / "plugins",
        scope=Scope.PROJECT,
        project=project,
        has_children_only=True,
    )
    return DiscoverySettings(roots=[*searched, theirs], host=HostFacts(version="0.1.0"))
