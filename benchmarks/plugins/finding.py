"""How long it takes to find the plugins among many folders."""

import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import Row
from benchmarks.samples import Samples
from extensions.plugins.discovery import DiscoverySettings, discover
from extensions.plugins.manifest import Scope
from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.search import SearchRoot

_FOLDERS = 10_000
_EVERY_NTH = 100
"""One folder of so many holds a plugin."""
_LIMIT_MS = 250.0
_MANIFEST = """
[plugin]
id = "plugin{number}"
version = "1.0.0"

[capabilities]
tools = ["echo"]

[transport]
kind = "stdio"
command = "./plugin"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was measured."""

    folders: int
    found: int
    times: Samples

    def rows(self) -> list[Row]:
        """Return what is told of it."""
        return self.times.rows(
            f"{self.folders} folders are searched",
            against=f"{self.found} plugins in them, whose manifests are read",
            limit_ms=_LIMIT_MS,
        )


def measure(folder: Path, *, rounds: int, folders: int = _FOLDERS) -> Finding:
    """Make the folders, and search them."""
    for number in range(folders):
        each = folder / f"group{number // 100}" / f"folder{number}"
        each.mkdir(parents=True)
        if number % _EVERY_NTH == 0:
            (each / "plugin.toml").write_text(_MANIFEST.format(number=number))
    settings = DiscoverySettings(
        roots=[SearchRoot(path=folder, scope=Scope.SEARCH_PATH)], host=HostFacts(version="1.0.0")
    )
    times: list[float] = []
    for _ in range(rounds):
        began = time.perf_counter()
        report = discover(settings)
        times.append(time.perf_counter() - began)
        assert len(report.candidates) == -(-folders // _EVERY_NTH), report.diagnostics
    return Finding(folders=folders, found=-(-folders // _EVERY_NTH), times=Samples(times))
