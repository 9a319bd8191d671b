"""A folder of plugins, and packages to be had for it."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from extensions.plugins.manifest_reading import HostFacts
from extensions.plugins.packages.fetching import FetchTerms
from extensions.plugins.packages.installing import Installed, install
from extensions.plugins.packages.packages_file import Packages
from extensions.plugins.packages.packages_store import read_packages
from extensions.plugins.packages.preparing import InstallTerms
from extensions.plugins.packages.sdk import Sdk
from extensions.plugins.packages.sources import read_source
from papercup_plugin.templates.copies import copy_into
from tests.fakes.package_programs import with_uv
from tests.fakes.package_registries import Registries

AT = datetime(2026, 1, 1, tzinfo=UTC)
SDK = Sdk(version="0.1.0", put_into=copy_into)


class PackageHouse:
    """A user's folder of plugins, and what there is to be had."""

    def __init__(self, folder: Path, registries: Registries) -> None:
        self.folder = folder
        self.registries = registries
        self.root = folder / "plugins"
        self.elsewhere: dict[str, Path] = {}
        self.terms = InstallTerms(
            root=self.root,
            host=HostFacts(version="0.1.0"),
            elsewhere=self.elsewhere.get,
            fetching=FetchTerms(
                endpoints=registries.endpoints,
                environment={"PATH": "/usr/bin:/bin"},
                tell=lambda _progress: None,
            ),
            sdk=SDK,
            clock=lambda: AT,
        )

    def write(self, name: str, files: dict[str, bytes]) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        for path, body in files.items():
            (folder / path).write_bytes(body)
        return folder

    def install(self, text: str) -> Installed:
        return install(read_source(text), self.terms)

    @property
    def terms_with_uv(self) -> InstallTerms:
        fetching = replace(self.terms.fetching, environment={"PATH": with_uv()})
        return replace(self.terms, fetching=fetching)

    @property
    def names(self) -> list[str]:
        return sorted(each.name for each in self.root.iterdir() if not each.name.startswith("."))

    @property
    def kept(self) -> Packages:
        return read_packages(self.root)
