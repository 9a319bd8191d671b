"""Reads manifests of every kind into a `Manifest`. Pure."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from extensions.plugins.manifest import Dialect, Manifest, Tier
from extensions.plugins.manifest_values import ManifestError, Table, shown
from extensions.plugins.mcp_servers import FoundServers, servers_in_json, servers_in_toml
from extensions.plugins.naming import OWN_ID, id_of_name
from extensions.plugins.sep_manifest import PACKAGE_KEY, package_manifest, sep_manifest
from extensions.plugins.stdio_manifest import stdio_manifest
from extensions.plugins.wrapper_manifest import NO_VERSION, wrapper_manifest

PLUGIN_TOML = "plugin.toml"
EXTENSION_TOML = "extension.toml"
PACKAGE_JSON = "package.json"
MCP_TOML = "mcp.toml"
MCP_JSON = ".mcp.json"

MANIFEST_NAMES = (EXTENSION_TOML, PLUGIN_TOML, PACKAGE_JSON, MCP_TOML)
"""What a folder of a plugin holds one of; of several the first counts."""
SIDECAR_NAMES = (MCP_JSON, MCP_TOML)
"""What may stand beside a manifest; of both the first counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFacts:
    """What manifests are held against."""

    version: str
    """Of the program that would load them."""
    requires_sandbox: bool = False
    """Whether one that asks for a sandbox is refused without."""


def read_manifest(name: str, content: bytes, *, folder_name: str, host: HostFacts) -> Manifest:
    """Read a manifest by the name of its file.

    Raises:
        ManifestError: If it is not right, is for another program, or asks for what there is not.
    """
    text = _decoded(content)
    if name == PACKAGE_JSON:
        manifest = package_manifest(_json(text), requires_sandbox=host.requires_sandbox)
        if manifest is None:
            raise ManifestError(f"it has no key `{PACKAGE_KEY}`")
        return manifest
    document = _toml(text)
    if name == EXTENSION_TOML:
        return sep_manifest(Table(document), requires_sandbox=host.requires_sandbox)
    if name == MCP_TOML:
        return _bridge(document, folder_name)
    if "plugin" in document:
        return stdio_manifest(Table(document), host_version=host.version)
    return wrapper_manifest(Table(document))


def may_be_a_plugin(name: str, content: bytes) -> bool:
    """Say at once whether it is worth reading: most a `package.json` is of no plugin."""
    return name != PACKAGE_JSON or f'"{PACKAGE_KEY}"'.encode() in content


def read_sidecar(name: str, content: bytes) -> FoundServers:
    """Read what names MCP servers beside a manifest.

    Raises:
        ValueError: If it cannot be read at all.
        ManifestError: If it can be read, but one of its servers is not right.
    """
    try:
        text = content.decode("utf-8-sig")
        return servers_in_json(text) if name == MCP_JSON else servers_in_toml(tomllib.loads(text))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def with_servers(manifest: Manifest, found: FoundServers) -> Manifest:
    """Return a manifest with the MCP servers that are named beside it."""
    unserved = (*manifest.unserved, *found.unserved)
    return replace(manifest, mcp_servers=found.servers, unserved=unserved)


def _bridge(document: Mapping[str, Any], folder_name: str) -> Manifest:
    plugin_id = id_of_name(folder_name)
    if plugin_id is None or plugin_id == OWN_ID:
        raise ManifestError(f"the folder's name `{shown(folder_name)}` can be no plugin's")
    found = servers_in_toml(document)
    if not found.servers:
        raise ManifestError("it names no mcp server")
    return Manifest(
        id=plugin_id,
        dialect=Dialect.STDIO,
        tier=Tier.BRIDGE,
        version=NO_VERSION,
        name=folder_name,
        mcp_servers=found.servers,
        unserved=found.unserved,
    )


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ManifestError(f"it is not valid UTF-8 (byte {error.start})") from error


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ManifestError(f"failed to parse TOML: {_one_line(error)}") from error


def _json(text: str) -> Mapping[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ManifestError(f"failed to parse JSON: {_one_line(error)}") from error
    if not isinstance(document, dict):
        raise ManifestError("failed to parse JSON: it must be an object")
    return cast("dict[str, Any]", document)


def _one_line(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return " ".join(str(error).split())
