"""An operator at work with packages: the command line, a home folder, and registries."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import Result

from tests.bot.cli.test_main import papercup
from tests.fakes.package_archives import file_entry, plugin_files, tgz, tgz_of
from tests.fakes.package_registries import Registries


@dataclass(frozen=True)
class PackageHome:
    """An operator's home folder, in which they work, and registries."""

    path: Path
    registries: Registries

    @property
    def data(self) -> Path:
        return self.path / "data"

    @property
    def plugins(self) -> Path:
        return self.path / ".papercup" / "plugins"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PAPERCUP_DATA_DIR": str(self.data),
            "PAPERCUP_ENDPOINTS__NPM": self.registries.url,
            "PAPERCUP_ENDPOINTS__PYPI": self.registries.url,
        }

    def plugin(self, *arguments: str, **more: str) -> Result:
        environment = {**self.environment, **more}
        return papercup(self.path, "plugin", *arguments, environment=environment)

    def json(self, *arguments: str) -> Any:
        result = self.plugin(*arguments, "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    def write(self, name: str, files: dict[str, bytes]) -> Path:
        folder = self.path / name
        folder.mkdir(parents=True, exist_ok=True)
        for path, body in files.items():
            (folder / path).write_bytes(body)
        return folder

    def furnish(self) -> None:
        """Install `dice`, and have things there that cannot be installed."""
        self.write("mine", plugin_files())
        self.write("plugins/taken", plugin_files("taken"))
        self.write("other", plugin_files("taken"))
        self.write("empty", {})
        hostile = tgz_of([file_entry("package/../../evil")])
        self.registries.add_npm("hostile", {"1.0.0": hostile})
        self.registries.add_npm("plain", {"1.0.0": tgz({"README.md": b"Plain."})})
        assert self.plugin("install", "mine").exit_code == 0
