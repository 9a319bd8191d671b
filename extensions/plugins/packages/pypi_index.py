"""What the Python Package Index says of a package. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urljoin

from extensions.plugins.packages.digest import Digest
from extensions.plugins.packages.errors import FetchError
from extensions.plugins.packages.python_versions import normal_name, python_precedence
from extensions.plugins.packages.sources import PypiSource, is_version

SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_ANY_WHEEL = re.compile(r"([^-]+)-([^-]+)(?:-[^-]+)?-([^-]+)-none-any\.whl")
"""A wheel for any machine."""
_SDIST_ENDING = ".tar.gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class PypiFile:
    """One file of a package."""

    version: str
    url: str
    sha256: str
    """In hexadecimal digits."""
    is_wheel: bool
    """Else it is the source, which is unpacked, but never built."""

    @property
    def digest(self) -> Digest:
        """What it has to hash to."""
        return Digest(algorithm="sha256", value=bytes.fromhex(self.sha256))


def package_path(package: str) -> str:
    """Return where the index says which files there are of a package."""
    return f"/simple/{normal_name(package)}/"


def file_of(document: Any, source: PypiSource, *, url: str) -> PypiFile:
    """Return the file that a source means: a wheel for any machine, else the source.

    Args:
        document: What the index says of the package.
        source: The package, and which version of it.
        url: Where that was said; addresses of files may begin there.

    Raises:
        FetchError: If there is none.
    """
    files = list(_files(document, source, url))
    newest = max((_order(each) for each in files), default=None)
    if newest is None:
        wanted = str(source).partition(":")[2]
        raise FetchError(
            f"the index has no wheel of {wanted} for any machine, nor its source, with a sha256"
        )
    return next(each for each in files if _order(each) == newest)


def _order(file: PypiFile) -> tuple[object, ...]:
    precedence = python_precedence(file.version)
    return precedence is not None, precedence or (), file.is_wheel


def _files(document: Any, source: PypiSource, url: str) -> Iterator[PypiFile]:
    entries: object = _object(document).get("files")
    for entry in cast("list[object]", entries) if isinstance(entries, list) else ():
        if (found := _file(_object(entry), source, url)) is not None:
            yield found


def _file(entry: Mapping[str, Any], source: PypiSource, url: str) -> PypiFile | None:
    name, place, hashes = entry.get("filename"), entry.get("url"), entry.get("hashes")
    sha256 = _object(hashes).get("sha256")
    if not isinstance(name, str) or not isinstance(place, str) or not isinstance(sha256, str):
        return None
    version = _version_of(name, source.package)
    if version is None or _SHA256.fullmatch(sha256) is None:
        return None
    is_wanted = version == source.version if source.version else not entry.get("yanked")
    if not is_wanted:
        return None
    return PypiFile(
        version=version,
        url=urljoin(url, place).partition("#")[0],
        sha256=sha256,
        is_wheel=not name.endswith(_SDIST_ENDING),
    )


def _version_of(name: str, package: str) -> str | None:
    """Return the version that a file is of; `None` if it is of no use."""
    if name.endswith(_SDIST_ENDING):
        found, _, version = name.removesuffix(_SDIST_ENDING).rpartition("-")
    elif (wheel := _ANY_WHEEL.fullmatch(name)) is not None and "py3" in wheel[3].split("."):
        found, version = wheel[1], wheel[2]
    else:
        return None
    # It comes to stand in what uv is told.
    is_fit = is_version(version) and normal_name(found) == normal_name(package)
    return version if is_fit else None


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
