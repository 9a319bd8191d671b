"""Plugins that bring MCP servers along, and what the host keeps those up with."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from extensions.plugins.bridge_parts import BridgeParts, BridgeSettings
from extensions.plugins.bridges import Bridges
from extensions.plugins.manifest import Candidate, McpServerSpec, Tier
from extensions.plugins.parts import HostSettings
from extensions.plugins.supervision import SupervisionOptions
from extensions.process.interpreter import base_python
from extensions.process.restart import RestartOptions
from extensions.server.mcp_client import connected_server
from tests.fakes.plugin_host import SPEAKER, HostKit, sep

SCRIPT = Path(__file__).parent / "plugin_children" / "mcp_server.py"
_PYTHON = base_python()
_SOON = SupervisionOptions(
    restarts=RestartOptions(first_wait_seconds=0.01, longest_wait_seconds=0.01, jitter_share=0)
)


@dataclass
class BridgeKit(HostKit):
    """What a host works with that bridges MCP servers, to be looked at."""

    refusal: str | None = None
    """Why nothing may be started."""
    bridging: BridgeSettings = field(
        default_factory=lambda: BridgeSettings(
            grace_seconds=0.2, reread_seconds=0.01, first_retry_seconds=0.01
        )
    )
    host_settings: HostSettings = field(default_factory=lambda: HostSettings(supervision=_SOON))

    async def refusal_of(self, _candidate: Candidate) -> str | None:
        return self.refusal

    def bridges(self, **others: Any) -> dict[str, Any]:
        """The parts of a host that bridge MCP servers."""
        parts = BridgeParts(
            audit=self.audit,
            environment_of=_environment_of,
            headers_of=lambda _candidate, headers: dict(headers),
            refusal_of=others.pop("refusal_of", self.refusal_of),
            open_remote=connected_server,
            host_version="1.2",
            host=self.host_settings,
            settings=self.bridging,
            **others,
        )
        return {"tiers": {Tier.BRIDGE: Bridges(parts)}, "refusal_of": self.refusal_of}

    def names(self) -> list[str]:
        """What the tools are called that a speaker is offered."""
        return sorted(tool.name for tool in self.registry.visible_to(SPEAKER))


def _environment_of(_candidate: Candidate, values: Mapping[str, str]) -> Mapping[str, str]:
    return {"PATH": f"{_PYTHON.parent}:/usr/bin:/bin", **values}


def small_server(*what: str, env: Mapping[str, str] | None = None) -> McpServerSpec:
    """Return a server that runs tests/fakes/plugin_children/mcp_server.py."""
    args = ("-ISE", str(SCRIPT), *what)
    return McpServerSpec(command=_PYTHON.name, args=args, env=env or {})


def bridge(name: str, **servers: McpServerSpec) -> Candidate:
    """Return a plugin that is nothing but MCP servers."""
    candidate = sep(name)
    manifest = replace(candidate.manifest, tier=Tier.BRIDGE, run=None, mcp_servers=servers)
    return replace(candidate, manifest=manifest)
