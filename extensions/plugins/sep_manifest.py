"""Reads an `extension.toml`: a plugin of the dialect `sep`. Pure.

A `package.json` with the key `smooth` says the same in JSON.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from extensions.plugins.manifest import (
    Capabilities,
    Dialect,
    Manifest,
    Requires,
    Resources,
    RunSpec,
)
from extensions.plugins.manifest_values import (
    ManifestError,
    Table,
    checked_command,
    checked_requires,
    is_outside,
    shown,
)
from extensions.plugins.naming import MAX_ID_LENGTH, OWN_ID, id_of_name, without_scope

PACKAGE_KEY = "smooth"
MAX_PROTOCOL = 2**31 - 1
_MAX_VERSION_LENGTH = 128
_MAX_DESCRIPTION_LENGTH = 512
_MAX_HOOK_TIMEOUT_MS = 600_000
_MAX_PRIORITY = 2**31 - 1
_SHA256 = re.compile(r"(?:sha256:)?([0-9a-fA-F]{64})")
_RESOURCE_KINDS = ("skills", "prompts", "themes")
_MILLISECONDS = 1000


def sep_manifest(document: Table, *, requires_sandbox: bool) -> Manifest:
    """Read a manifest.

    Args:
        document: All of it.
        requires_sandbox: Whether the operator wants plugins to have the sandbox that they ask for.

    Raises:
        ManifestError: If it is not right, or asks for what there is not.
    """
    name = document.text("name")
    version, description = _version(document), document.text("description", "")
    run, capabilities = _run(document), document.table("capabilities")
    resources = document.table("resources")
    unserved = [*_sandbox(document, requires_sandbox=requires_sandbox)]
    manifest = Manifest(
        id=_plugin_id(name),
        dialect=Dialect.SEP,
        version=version,
        name=name,
        description=description[:_MAX_DESCRIPTION_LENGTH],
        protocol=document.integer("protocol", 1, lowest=1, highest=MAX_PROTOCOL),
        run=run,
        capabilities=_capabilities(capabilities),
        requires=_requires(document.table("requires")),
        resources=_resources(resources),
        hook_timeout_seconds=_hook_timeout(document),
        priority=document.integer("priority", 0, lowest=-_MAX_PRIORITY, highest=_MAX_PRIORITY),
        disabled=document.flag("disabled"),
    )
    # In this format a key that nobody knows is no mistake.
    unknown = [*document.unknown(), *capabilities.unknown(), *resources.unknown()]
    unserved += [f"`{path}` is not known, and has no effect" for path in unknown]
    return replace(manifest, unserved=tuple(unserved))


def package_manifest(document: Mapping[str, Any], *, requires_sandbox: bool) -> Manifest | None:
    """Read a `package.json`; `None` if it is not one of a plugin.

    What its key `smooth` leaves out is taken from the package: name, version and description.

    Raises:
        ManifestError: If what stands under that key is not right.
    """
    inner = document.get(PACKAGE_KEY)
    if inner is None:
        return None
    if not isinstance(inner, dict):
        raise ManifestError(f"failed to parse JSON: `{PACKAGE_KEY}` must be an object")
    values: dict[str, Any] = {
        key: document[key] for key in ("version", "description") if key in document
    }
    package = document.get("name")
    if isinstance(package, str):
        values["name"] = without_scope(package)
    values |= cast("dict[str, Any]", inner)
    return sep_manifest(Table(values, notation="JSON"), requires_sandbox=requires_sandbox)


def _plugin_id(name: str) -> str:
    if not name:
        raise ManifestError("name is empty")
    plugin_id = id_of_name(name)
    if plugin_id is None:
        expected = f"expected letters, digits, `.`, `-` and `_`, max {MAX_ID_LENGTH} chars"
        raise ManifestError(f"name `{shown(name)}` is invalid ({expected})")
    if plugin_id == OWN_ID:
        raise ManifestError(f"name `{shown(name)}` is reserved")
    return plugin_id


def _version(document: Table) -> str:
    version = document.text("version")
    if not 0 < len(version) <= _MAX_VERSION_LENGTH or not version.isprintable():
        raise ManifestError(f"version `{shown(version)}` is invalid")
    return version


def _run(document: Table) -> RunSpec:
    if not document.has("run"):
        raise document.wrong("missing field `run`")
    table = document.table("run")
    command = table.text("command")
    if not command.strip():
        raise ManifestError("run.command is empty")
    run = RunSpec(
        command=checked_command(command, "run.command"),
        args=table.texts("args"),
        env=table.variables("env"),
        sha256=_sha256(table),
    )
    table.refuse_unknown()
    return run


def _sha256(table: Table) -> str | None:
    written = table.optional_text("sha256")
    if written is None:
        return None
    found = _SHA256.fullmatch(written)
    if found is None:
        raise ManifestError(f"run.sha256 `{shown(written)}` is not 64 hexadecimal digits")
    return found[1].lower()


def _capabilities(table: Table) -> Capabilities:
    return Capabilities(
        events=frozenset(table.texts("events")),
        tools=table.flag_or_names("tools"),
        commands=table.flag("commands"),
        ui=table.flag("ui"),
        exec=table.flag("exec"),
        kv=table.flag("kv"),
        bus=table.flag("bus"),
        session=table.flag("session"),
        # This format declares neither: who says nothing may register any.
        hooks=table.flag_or_names("hooks", default=True),
        providers=table.flag_or_names("providers", default=True),
    )


def _requires(table: Table) -> Requires:
    requires = Requires(bins=table.texts("bins"), env=table.texts("env"))
    table.refuse_unknown()
    checked_requires(requires.bins, requires.env)
    return requires


def _resources(table: Table) -> Resources:
    paths = {kind: table.text_or_texts(kind) for kind in _RESOURCE_KINDS}
    for kind, each in paths.items():
        for path in each:
            if not path or path.startswith("/") or is_outside(path):
                reason = "is not within the plugin's folder"
                raise ManifestError(f"resources.{kind} `{shown(path)}` {reason}")
    return Resources(skills=paths["skills"], prompts=paths["prompts"], themes=paths["themes"])


def _hook_timeout(document: Table) -> float | None:
    milliseconds = document.number("hook_timeout_ms", highest=_MAX_HOOK_TIMEOUT_MS)
    return None if milliseconds is None else milliseconds / _MILLISECONDS


def _sandbox(document: Table, *, requires_sandbox: bool) -> Iterator[str]:
    wishes = ", ".join(shown(key) for key in document.table("sandbox").names())
    if not wishes:
        return
    if requires_sandbox:
        raise ManifestError(f"sandbox ({wishes}) is required, and there is none for plugins")
    yield f"sandbox ({wishes}) is not kept: it runs with this user's rights"
