"""npm's registry and the Python Package Index on this machine."""

import base64
import hashlib
import io
import json
import zipfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from extensions.plugins.packages.fetching import Endpoints
from tests.fakes.file_server import Served, serving


@dataclass
class Registries:
    """What stands in both; it may change while they run."""

    url: str = ""
    files: dict[str, Served] = field(default_factory=dict[str, Served])

    @property
    def endpoints(self) -> Endpoints:
        return Endpoints(npm=self.url, pypi=self.url)

    def add_npm(
        self, package: str, versions: Mapping[str, bytes], *, integrity: str | None = None
    ) -> None:
        """Offer versions of a package, the last as `latest`."""
        told = {}
        for version, body in versions.items():
            path = f"/{package}/-/{version}.tgz"
            self.files[path] = Served(body=body)
            dist = {"tarball": self.url + path, "integrity": integrity or sri(body)}
            told[version] = {"name": package, "version": version, "dist": dist}
        document = {"dist-tags": {"latest": [*versions][-1]}, "versions": told}
        self.files[f"/{quote(package, safe='@')}"] = as_json(document)

    def add_pypi(
        self, package: str, files: Mapping[str, bytes], *, sha256: str | None = None
    ) -> None:
        """Offer files of a package."""
        told = list[dict[str, Any]]()
        for name, body in files.items():
            path = f"/files/{name}"
            self.files[path] = Served(body=body)
            digest = sha256 or hashlib.sha256(body).hexdigest()
            entry: dict[str, Any] = {"filename": name, "url": path, "hashes": {"sha256": digest}}
            if name.endswith(".whl"):
                # As PyPI does: so nobody has to ask for parts of a file.
                self.files[f"{path}.metadata"] = Served(body=metadata_of(body))
                entry["core-metadata"] = True
            told.append(entry)
        document = {"meta": {"api-version": "1.0"}, "name": package, "files": told}
        kind = {"Content-Type": "application/vnd.pypi.simple.v1+json"}
        body = json.dumps(document).encode()
        self.files[f"/simple/{package}/"] = Served(body=body, headers=kind)


@contextmanager
def serving_registries() -> Generator[Registries]:
    """Serve both, with nothing in them."""
    registries = Registries()
    with serving(registries.files) as url:
        registries.url = url
        yield registries


def metadata_of(wheel: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        return archive.read(next(n for n in archive.namelist() if n.endswith("/METADATA")))


def as_json(document: object) -> Served:
    return Served(body=json.dumps(document).encode(), headers={"Content-Type": "application/json"})


def sri(body: bytes) -> str:
    """Return what a file hashes to, as npm writes it."""
    return "sha512-" + base64.b64encode(hashlib.sha512(body).digest()).decode()
