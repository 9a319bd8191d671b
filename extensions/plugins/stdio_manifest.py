"""Reads a `plugin.toml` with a table `[plugin]`: a plugin of the dialect `stdio`. Pure."""

from collections.abc import Iterator
from typing import NoReturn

from extensions.plugins.manifest import Capabilities, Dialect, Manifest, Requires, RunSpec
from extensions.plugins.manifest_values import (
    ManifestError,
    Table,
    checked_command,
    checked_requires,
    shown,
)
from extensions.plugins.mcp_servers import is_http_url, servers_in_manifest
from extensions.plugins.naming import (
    MAX_ID_LENGTH,
    OWN_ID,
    RESERVED_IDS,
    is_valid_capability,
    is_valid_id,
)
from extensions.plugins.versions import precedence

MAX_DESCRIPTION_LENGTH = 512
_MAX_PRIORITY = 2**31 - 1
_LISTS = ("tools", "hooks", "channels", "providers", "pollers")
_UNSERVED_LISTS = ("channels", "pollers")
_UNSERVED_TABLES = ("admin", "http_server")


def stdio_manifest(document: Table, *, host_version: str) -> Manifest:
    """Read a manifest.

    Args:
        document: All of it.
        host_version: Of the program that would load it.

    Raises:
        ManifestError: If it is not right, or asks for what there is not.
    """
    plugin = document.table("plugin")
    plugin_id, version = _plugin_id(plugin), _version(plugin)
    name, description = plugin.optional_text("name"), _description(plugin)
    _check_host(plugin, host_version)
    priority = plugin.integer("priority", 0, lowest=-_MAX_PRIORITY, highest=_MAX_PRIORITY)
    plugin.refuse_unknown()
    capabilities, unserved = _capabilities(document.table("capabilities"))
    unserved += _bindings(document)
    run = _run(document)
    servers = servers_in_manifest(document)
    manifest = Manifest(
        id=plugin_id,
        dialect=Dialect.STDIO,
        version=version,
        name=name or plugin_id,
        description=description,
        run=run,
        mcp_servers=servers.servers,
        capabilities=capabilities,
        requires=_requires(document.table("requires")),
        passes_context=_passes_context(document.table("context")),
        priority=priority,
        unserved=(*unserved, *servers.unserved),
    )
    _check_meta(document.table("meta"))
    document.refuse_unknown()
    return manifest


def _plugin_id(plugin: Table) -> str:
    plugin_id = plugin.text("id")
    if not plugin_id:
        raise ManifestError("plugin.id is empty")
    if not is_valid_id(plugin_id):
        expected = f"must match `^[a-z][a-z0-9_-]*$` (max {MAX_ID_LENGTH} chars)"
        raise ManifestError(f"plugin.id `{shown(plugin_id)}` {expected}")
    if plugin_id in RESERVED_IDS or plugin_id == OWN_ID:
        raise ManifestError(f"plugin.id `{plugin_id}` is reserved for native plugins")
    return plugin_id


def _version(plugin: Table) -> str:
    version = plugin.text("version")
    if precedence(version) is None:
        raise ManifestError(f"plugin.version `{shown(version)}` is not valid semver")
    return version


def _description(plugin: Table) -> str:
    description = plugin.text("description", "")
    if len(description) > MAX_DESCRIPTION_LENGTH:
        raise ManifestError(f"description exceeds {MAX_DESCRIPTION_LENGTH} characters")
    return description


def _check_host(plugin: Table, host_version: str) -> None:
    required = plugin.optional_text("min_agent_version")
    if required is None:
        return
    wanted, current = precedence(required), precedence(host_version)
    if wanted is None:
        raise ManifestError(f"plugin.min_agent_version `{shown(required)}` is not valid semver")
    # A version of ours that is none, of a checkout for example, keeps nothing from loading.
    if current is not None and current < wanted:
        raise ManifestError(f"plugin requires agent >= {required}, current is {host_version}")


def _capabilities(table: Table) -> tuple[Capabilities, list[str]]:
    declared = {field: _declared(table, field) for field in _LISTS}
    unserved = [
        f"{field} {', '.join(f'`{name}`' for name in declared[field])}: not served, never called"
        for field in _UNSERVED_LISTS
        if declared[field]
    ]
    unserved += [
        f"capabilities.{name} is not served"
        for name in _UNSERVED_TABLES
        if table.raw(name) is not None
    ]
    table.refuse_unknown()
    if not any(declared.values()):
        raise ManifestError("plugin must declare at least one tool, hook, channel, or provider")
    capabilities = Capabilities(
        tools=frozenset(declared["tools"]),
        hooks=frozenset(declared["hooks"]),
        providers=frozenset(declared["providers"]),
    )
    return capabilities, unserved


def _declared(table: Table, field: str) -> tuple[str, ...]:
    names = table.texts(field)
    for name in names:
        if not is_valid_capability(name):
            expected = f"expected `^[a-z][a-z0-9_]*$`, max {MAX_ID_LENGTH} chars"
            raise ManifestError(f"{field} name `{shown(name)}` is invalid ({expected})")
    for position, name in enumerate(names):
        if name in names[:position]:
            raise ManifestError(f"duplicate {field} name `{name}`")
    return names


def _run(document: Table) -> RunSpec:
    if not document.has("transport"):
        raise document.wrong("missing field `transport`")
    transport = document.table("transport")
    # The pages of that format say `type`, its program says `kind`.
    kind = transport.optional_text("kind") or transport.optional_text("type")
    transport.optional_text("type")
    if kind != "stdio":
        _refuse_transport(kind, transport)
    command, args = transport.text("command"), transport.texts("args")
    transport.refuse_unknown()
    if not command.strip():
        raise ManifestError("transport.stdio requires non-empty `command`")
    return RunSpec(command=checked_command(command, "transport.stdio command"), args=args)


def _refuse_transport(kind: str | None, transport: Table) -> NoReturn:
    match kind:
        case None:
            raise transport.wrong("missing field `transport.kind`")
        case "nats":
            if not transport.text("subject_prefix").strip():
                raise ManifestError("transport.nats requires non-empty `subject_prefix`")
        case "http":
            url = transport.text("url")
            if not is_http_url(url):
                reason = "expected http(s)://host[:port][/path]" if url.strip() else "empty url"
                raise ManifestError(f"transport.http url `{shown(url)}` is invalid: {reason}")
        case _:
            known = "expected one of `stdio`, `nats`, `http`"
            raise transport.wrong(f"unknown transport `{shown(kind)}`, {known}")
    raise ManifestError(f"transport `{kind}` is not served: only `stdio` is")


def _bindings(document: Table) -> Iterator[str]:
    bindings = document.table("outbound_bindings")
    for channel in bindings.names():
        if not bindings.texts(channel):
            raise ManifestError(f"outbound_bindings `{shown(channel)}` names no account")
        yield f"outbound_bindings `{shown(channel)}`: no channel of a plugin is served"


def _requires(table: Table) -> Requires:
    requires = Requires(bins=table.texts("bins"), env=table.texts("env"))
    table.refuse_unknown()
    checked_requires(requires.bins, requires.env)
    return requires


def _passes_context(table: Table) -> bool:
    passes = table.flag("passthrough")
    table.refuse_unknown()
    return passes


def _check_meta(table: Table) -> None:
    table.optional_text("author")
    table.optional_text("license")
    table.refuse_unknown()
