"""Reads the MCP servers that a plugin brings along, from wherever it names them. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast
from urllib.parse import urlsplit

from extensions.plugins.manifest import McpServerSpec
from extensions.plugins.manifest_values import ManifestError, Table, checked_command, shown
from extensions.plugins.naming import is_valid_server_name

ROOT_PLACEHOLDER = "${EXTENSION_ROOT}"
"""Stands in a server's program and arguments for the plugin's folder."""
MAX_SERVERS = 32

_TRANSPORTS = frozenset({"stdio", "streamable_http", "sse", "auto"})
_OTHER_NAMES: Mapping[str, str] = {"http": "streamable_http", "streamable-http": "streamable_http"}
_UNSERVED_KEYS = ("cwd", "log_level", "context_passthrough", "reset_level_on_unset")


@dataclass(frozen=True, slots=True)
class FoundServers:
    """MCP servers, and what they ask that we do not serve."""

    servers: Mapping[str, McpServerSpec]
    unserved: tuple[str, ...] = ()


def servers_in_manifest(table: Table) -> FoundServers:
    """Read `[mcp_servers.NAME]` of a `plugin.toml`.

    Raises:
        ManifestError: If one of them is not right.
    """
    return _found(table.tables("mcp_servers"))


def servers_in_json(text: str) -> FoundServers:
    """Read a `.mcp.json`; its servers stand under `mcpServers` or `mcp_servers`.

    Raises:
        ValueError: If it is no JSON object.
        ManifestError: If one of the servers is not right.
    """
    document = json.loads(text)
    if not isinstance(document, dict):
        raise ValueError("it must be an object")  # noqa: TRY004 - as what is no JSON at all
    table = Table(cast("dict[str, Any]", document), notation="JSON")
    key = "mcp_servers" if table.has("mcp_servers") else "mcpServers"
    found = _found(table.tables(key))
    table.refuse_unknown()
    return found


def servers_in_toml(document: Mapping[str, Any]) -> FoundServers:
    """Read a `mcp.toml`, whose servers are the tables `[[servers]]`.

    Raises:
        ManifestError: If one of them is not right.
    """
    table = Table(document)
    listed = table.raw("servers")
    table.refuse_unknown()
    if not isinstance(listed, list):
        raise table.wrong("`servers` must be tables, written as [[servers]]")
    tables: dict[str, Table] = {}
    for one in cast("list[object]", listed):
        if not isinstance(one, dict):
            raise table.wrong("`servers` must be tables, written as [[servers]]")
        server = Table(cast("dict[str, Any]", one), "servers")
        name = server.text("name")
        if name in tables:
            raise ManifestError(f"duplicate mcp server name `{shown(name)}`")
        tables[name] = server
    return _found(tables)


def with_root(server: McpServerSpec, root: str) -> McpServerSpec:
    """Return a server with the plugin's folder where `${EXTENSION_ROOT}` stands for it."""
    command = server.command
    return replace(
        server,
        command=None if command is None else command.replace(ROOT_PLACEHOLDER, root),
        args=tuple(one.replace(ROOT_PLACEHOLDER, root) for one in server.args),
        env={name: one.replace(ROOT_PLACEHOLDER, root) for name, one in server.env.items()},
    )


def _found(tables: Mapping[str, Table]) -> FoundServers:
    if len(tables) > MAX_SERVERS:
        raise ManifestError(f"it names more than {MAX_SERVERS} mcp servers")
    servers: dict[str, McpServerSpec] = {}
    unserved: list[str] = []
    for name, table in tables.items():
        if not is_valid_server_name(name):
            expected = "expected `^[a-z][a-z0-9_-]*$`, max 32 chars"
            raise ManifestError(f"mcp server name `{shown(name)}` is invalid ({expected})")
        server = _server(name, table)
        unserved += _unserved(name, table)
        is_off = table.flag("disabled")
        table.refuse_unknown()
        if not is_off:
            servers[name] = server
    return FoundServers(servers, tuple(unserved))


def _server(name: str, table: Table) -> McpServerSpec:
    command, url = table.optional_text("command"), table.optional_text("url")
    transport = _transport(name, table, is_called=url is not None)
    args, env, headers = table.texts("args"), table.variables("env"), _headers(table)
    if transport == "stdio":
        if command is None or not command.strip():
            raise ManifestError(f"mcp server `{name}`: stdio requires non-empty command")
        checked_command(command.removeprefix(f"{ROOT_PLACEHOLDER}/"), f"mcp server `{name}`:")
        return McpServerSpec(command=command, args=args, env=env)
    if url is None or not is_http_url(url):
        reason = f"url `{shown(url or '')}` is not valid http(s)"
        raise ManifestError(f"mcp server `{name}`: {reason}")
    return McpServerSpec(url=url, transport=transport, headers=headers)


def _transport(name: str, table: Table, *, is_called: bool) -> str:
    written = table.optional_text("transport") or table.optional_text("type")
    table.optional_text("type")
    if written is None:
        return "streamable_http" if is_called else "stdio"
    transport = _OTHER_NAMES.get(written, written)
    if transport not in _TRANSPORTS:
        known = ", ".join(sorted(_TRANSPORTS))
        raise ManifestError(f"mcp server `{name}`: transport `{shown(written)}` is none of {known}")
    return transport


def _headers(table: Table) -> dict[str, str]:
    inner = table.table("headers")
    headers = {name: inner.text(name) for name in inner.names()}
    for name, value in headers.items():
        if not name or not name.isascii() or not name.isprintable() or not value.isprintable():
            raise table.wrong(f"header `{shown(name)}` cannot be sent")
    return headers


def _unserved(name: str, table: Table) -> Iterator[str]:
    for key in _UNSERVED_KEYS:
        if table.raw(key) is not None:
            yield f"mcp server `{name}`: `{key}` has no effect here"


def is_http_url(url: str) -> bool:
    """Say whether it is an address that begins with `http://` or `https://`, and names a host."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    is_clean = url.isprintable() and " " not in url and port != 0
    return is_clean and parts.scheme in {"http", "https"} and bool(parts.hostname)
