"""What npm's registry says of a package. Pure."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from extensions.plugins.packages.digest import Digest
from extensions.plugins.packages.errors import BadPackageError, FetchError
from extensions.plugins.packages.sources import NpmSource, is_version

ABBREVIATED = "application/vnd.npm.install-v1+json, application/json"
"""What is accepted: without what is of no use to whoever installs."""
_LATEST = "latest"
_SHA512_BYTES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class NpmRelease:
    """One version of a package."""

    version: str
    url: str
    """Of its tarball."""
    integrity: str
    """As the registry says: `sha512-…`."""
    digest: Digest


def package_path(package: str) -> str:
    """Return where the registry says what there is of a package."""
    return f"/{quote(package, safe='@')}"


def release_of(document: Any, source: NpmSource) -> NpmRelease:
    """Return the version that a source means.

    Args:
        document: What the registry says of the package.
        source: The package, and which version of it.

    Raises:
        FetchError: If there is none, or the registry says something odd.
        BadPackageError: If nobody says what it has to hash to.
    """
    wanted = source.version or _LATEST
    answer = _object(document)
    versions, tags = _object(answer.get("versions")), _object(answer.get("dist-tags"))
    version = tags.get(wanted, wanted)
    if not isinstance(version, str) or version not in versions:
        raise FetchError(
            f"npm has no {source.package}@{wanted}; it has to be one version or a tag, no range"
        )
    if not is_version(version):
        raise FetchError(f"npm calls a version of {source.package} {version!a}, which is none")
    dist = _object(_object(versions[version]).get("dist"))
    url = dist.get("tarball")
    if not isinstance(url, str):
        raise FetchError(f"npm does not say where {source.package}@{version} is")
    integrity, digest = _integrity(dist.get("integrity"), f"{source.package}@{version}")
    return NpmRelease(version=version, url=url, integrity=integrity, digest=digest)


def _integrity(text: object, what: str) -> tuple[str, Digest]:
    for each in text.split() if isinstance(text, str) else ():
        algorithm, _, encoded = each.partition("-")
        if algorithm != "sha512":
            continue
        try:
            value = base64.b64decode(encoded.partition("?")[0], validate=True)
        except binascii.Error:
            continue
        if len(value) == _SHA512_BYTES:
            return each, Digest(algorithm=algorithm, value=value)
    raise BadPackageError(f"npm does not say what {what} has to hash to (a sha512 is missing)")


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
