"""What a `package.json` and a lock file may say, so that npm asks a registry alone. Pure.

npm would also clone with git, and run a program that a cloned folder names; it would read other
folders, and write to them. What it holds against a hash comes from anywhere else.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast
from urllib.parse import urlsplit

from extensions.plugins.packages.entries import shown_name

_LEAST_VERSION = 2
_SHA512 = "sha512-"
_WITHIN = "/node_modules/"
_DEPENDENCIES = (
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
)
_ALIAS = re.compile(r"npm:(?:@[\w.~-]+/)?[\w.~-]+(?:@|$)", re.ASCII)
_RANGE = re.compile(r"[A-Za-z0-9 .*+<>=^~|,_-]*")
_LIKE_A_FILE = re.compile(r"\..*|.*\.(?:tgz|tar\.gz|tar)", re.IGNORECASE | re.DOTALL)
_REFERENCE = re.compile(r"\$[\w@/.~-]+", re.ASCII)
_VERSION = re.compile(r"[0-9A-Za-z.+-]+")
_MOST_DEPTH = 20


def package_faults(package: Mapping[str, Any]) -> Iterator[str]:
    """Yield why npm cannot be let at what a `package.json` says; nothing if it can."""
    if package.get("workspaces"):
        yield "it has workspaces, and npm would go to their folders"
    yield from _elsewhere(package)
    for spec in _overrides(package.get("overrides"), _MOST_DEPTH):
        if not isinstance(spec, str) or not (_is_of_registry(spec) or _REFERENCE.fullmatch(spec)):
            yield f"overrides name {shown_name(str(spec))}, which no registry has"


def lock_faults(lock: Mapping[str, Any], registry: str) -> Iterator[str]:
    """Yield why what a lock file names cannot be installed; nothing if it can.

    Args:
        lock: What it says.
        registry: The address of npm's registry, which need not be encrypted.
    """
    version, packages = lock.get("lockfileVersion"), lock.get("packages")
    if not isinstance(version, int) or version < _LEAST_VERSION or not packages:
        yield f"its lockfileVersion has to be {_LEAST_VERSION} or more"
    every = _object(packages)
    for name, package in every.items():
        entry = _object(package)
        why = _fault(name, entry, every, registry) if name else None
        for fault in [why] if why is not None else _elsewhere(entry):
            yield f"{shown_name(name)} {fault}" if name else fault


def _fault(
    name: str, package: Mapping[str, Any], every: Mapping[str, Any], registry: str
) -> str | None:
    if package.get("link"):
        return "is a link"
    if not name.startswith(_WITHIN[1:]) or ".." in name.split("/"):
        return "stands outside of node_modules"
    if package.get("resolved") is None and _is_bundled(name, package, every):
        return None
    return _fault_of_place(package.get("resolved"), package.get("integrity"), registry)


def _fault_of_place(place: object, integrity: object, registry: str) -> str | None:
    if not isinstance(place, str) or not _is_address(place):
        return "does not come from a registry"
    if not place.startswith("https://") and not place.startswith(f"{registry}/"):
        return f"comes from {shown_name(place)}, which is not encrypted"
    if not isinstance(integrity, str) or not integrity.startswith(_SHA512):
        return "does not say what it has to hash to (a sha512 is missing)"
    return None


def _is_bundled(name: str, package: Mapping[str, Any], every: Mapping[str, Any]) -> bool:
    """Say whether a package comes within another one, so that it is in what that hashes to."""
    version = package.get("version")
    is_plain = isinstance(version, str) and _VERSION.fullmatch(version) is not None
    if not package.get("inBundle") or not is_plain:
        return False
    while _WITHIN in name:
        name = name.rpartition(_WITHIN)[0]
        above = _object(every.get(name))
        if above.get("bundleDependencies") or above.get("bundledDependencies"):
            return True
    return False


def _is_address(text: str) -> bool:
    try:
        return urlsplit(text).scheme in {"https", "http"}
    except ValueError:
        return False


def _elsewhere(package: Mapping[str, Any]) -> Iterator[str]:
    for key in _DEPENDENCIES:
        for name, spec in _object(package.get(key)).items():
            if not isinstance(spec, str) or not _is_of_registry(spec):
                wanted = f"{shown_name(name)} of {shown_name(str(spec))}"
                yield f"depends on {wanted}, which no registry has"


def _is_of_registry(spec: str) -> bool:
    """Say whether that means versions, or a tag, and no repository, address, file or folder."""
    alias = _ALIAS.match(spec)
    versions = spec if alias is None else spec[alias.end() :]
    return _RANGE.fullmatch(versions) is not None and _LIKE_A_FILE.fullmatch(versions) is None


def _overrides(value: object, depth: int) -> Iterator[object]:
    """Yield what is said instead of versions, however deep; what is deeper than sensible whole."""
    if not isinstance(value, dict) or not depth:
        if value is not None:
            yield value
        return
    for each in cast("dict[str, object]", value).values():
        yield from _overrides(each, depth - 1)


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
