"""Our plugin host, with nothing but what it needs."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from extensions.plugins.host import HostParts, PluginHost, open_plugin_host
from extensions.plugins.manifest import Candidate, Capabilities, Dialect, Manifest, RunSpec, Scope
from extensions.plugins.served import ServedPlugin
from extensions.plugins.services import AuditKind, Workspace
from extensions.process.interpreter import base_python
from extensions.rpc.errors import ErrorCode, RpcError
from extensions.tools import ToolRegistry

CHILD = Path(__file__).with_name("echo_child.py")
PYTHON_FLAGS = ("-I", "-S", "-E")


class HouseStuckError(Exception):
    """A plugin did not become ready, so nothing can be measured."""


class _NoRequests:
    async def serve(self, plugin: ServedPlugin, method: str, params: Mapping[str, Any]) -> Any:
        del plugin, params
        raise RpcError(ErrorCode.METHOD_NOT_FOUND, f"method not found: {method}")

    def notified(self, plugin: ServedPlugin, method: str, params: Mapping[str, Any]) -> None:
        """Do nothing."""


class _NoAudit:
    def note(self, kind: AuditKind, plugin_id: str, text: str) -> None:
        """Do nothing."""


def echo_plugin(number: int = 0) -> Candidate:
    """Return a plugin that echoes."""
    name = f"echo{number}"
    manifest = Manifest(
        id=name,
        dialect=Dialect.SEP,
        version="1.0.0",
        name=name,
        run=RunSpec(command=base_python().name, args=(*PYTHON_FLAGS, str(CHILD), "sep")),
        capabilities=Capabilities(tools=None, hooks=None),
    )
    return Candidate(
        manifest=manifest,
        folder=CHILD.parent,
        manifest_path=CHILD.parent / "extension.toml",
        scope=Scope.USER,
        root_index=0,
    )


@asynccontextmanager
async def empty_host() -> AsyncGenerator[PluginHost, None]:
    """Yield a host without plugins."""
    parts = HostParts(
        registry=ToolRegistry(),
        requests=_NoRequests(),
        audit=_NoAudit(),
        environment_of=lambda _: {"PATH": f"{base_python().parent}:/usr/bin:/bin"},
        workspace_of=lambda _: Workspace(root=CHILD.parent, trusted=True),
        host_version="1.0.0",
    )
    async with open_plugin_host(parts) as host:
        yield host


async def load_all(host: PluginHost, count: int) -> None:
    """Load so many plugins, and check that all of them are ready."""
    await host.load([echo_plugin(number) for number in range(count)])
    if len(host.running()) != count:
        raise HouseStuckError(f"{len(host.running())} of {count} plugins are ready")
