"""How the plugins stand, as JSON for people's eyes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from extensions.plugins.hosted import HostedPlugin
from extensions.plugins.lifecycle import Failed
from extensions.plugins.plugin import Plugin


def report_on(
    plugin: HostedPlugin,
    tools: Iterable[str],
    servers: Sequence[Mapping[str, Any]],
    *,
    now: float,
) -> dict[str, Any]:
    """Return how one plugin stands.

    Args:
        plugin: The plugin.
        tools: The names by which models know its tools.
        servers: How each of its MCP servers stands.
        now: On the event loop's clock.
    """
    manifest, state = plugin.manifest, plugin.state
    offered = plugin.registrations
    return {
        "id": plugin.id,
        "name": manifest.name,
        "version": manifest.version,
        "description": manifest.description,
        "dialect": str(manifest.dialect),
        "tier": str(manifest.tier),
        "scope": str(plugin.candidate.scope),
        "path": str(plugin.candidate.manifest_path),
        "state": str(state),
        "reason": state.reason if isinstance(state, Failed) else None,
        "closes": [str(each) for each in plugin.closes] if isinstance(plugin, Plugin) else [],
        "pid": plugin.pid,
        "epoch": plugin.lifecycle.epoch,
        "restarts": plugin.lifecycle.restarts,
        "tools": list(tools),
        "commands": [each.name for each in offered.commands],
        "hooks": None if offered.hooks is None else sorted(offered.hooks),
        "events": sorted(offered.subscriptions),
        "providers": [each.name for each in offered.providers],
        "shortcuts": [
            {"key": each.key, "command": each.command, "description": each.description}
            for each in offered.shortcuts
        ],
        "flags": list(offered.flags),
        "servers": [dict(each) for each in servers],
        **(_traffic(plugin, now) if isinstance(plugin, Plugin) else {}),
    }


def _traffic(plugin: Plugin, now: float) -> dict[str, Any]:
    breaker, peer = plugin.calls.breaker, plugin.calls.peer
    return {
        "breaker": {
            "name": breaker.name,
            "state": str(breaker.state(now=now)),
            "times_opened": breaker.times_opened,
        },
        "counts": {} if peer is None else dict(peer.counts),
    }
