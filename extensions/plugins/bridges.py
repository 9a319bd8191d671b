"""Opens the MCP servers of plugins: all of a plugin that is nothing else, or what one brings along.

Their tools stand in the registry like those of any plugin. A tool `T` of a server `S` is called
`S_T` within its plugin, or `T` if the plugin has that one server and no other tools.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from extensions.hooks import Occasion
from extensions.plugins.bridge_parts import BridgeParts
from extensions.plugins.bridged_server import BridgedServer
from extensions.plugins.lifecycle import (
    Failed,
    PluginState,
    Ready,
    Restarting,
    Shutdown,
    Spawning,
)
from extensions.plugins.manifest import Candidate, Manifest, Tier
from extensions.plugins.mcp_wire import tool_name
from extensions.plugins.offering import merged
from extensions.plugins.parts import Offer, OfferedTool, TierView
from extensions.plugins.plain_lines import plain_line
from extensions.plugins.registrations import PluginAnswer, Registrations, ToolRegistration

logger = logging.getLogger(__name__)


class Bridges:
    """Opens MCP servers. It satisfies `TierOpener`."""

    def __init__(self, parts: BridgeParts) -> None:
        self._parts = parts
        # A server that is far away may take long to answer, and holds up no program.
        most = parts.host.most_spawning
        self._programs, self._remote = asyncio.Semaphore(most), asyncio.Semaphore(most)

    @asynccontextmanager
    async def __call__(self, candidate: Candidate, offer: Offer) -> AsyncGenerator[TierView, None]:
        """Keep the servers of a plugin up for as long as the block lasts.

        Args:
            candidate: Whose servers.
            offer: Told of their tools after each change.
        """
        bridge = _Bridge(candidate, offer)
        for name, spec in candidate.manifest.mcp_servers.items():
            slots = self._programs if spec.url is None else self._remote
            bridge.servers.append(
                BridgedServer(candidate, name, self._parts, slots=slots, changed=bridge.changed)
            )
        failure: BaseException | None = None
        async with asyncio.TaskGroup() as tasks:
            for server in bridge.servers:
                tasks.create_task(server.run(), name=f"MCP server {server.id}")
            try:
                yield bridge
            except BaseException as error:  # noqa: BLE001 - raised below: the group would wrap it
                failure = error
            for server in bridge.servers:
                server.stop()
        if failure is not None:
            raise failure


class _Bridge:
    """The servers of one plugin, as one. It satisfies `TierView`."""

    def __init__(self, candidate: Candidate, offer: Offer) -> None:
        self.servers: list[BridgedServer] = []
        self._plugin_id = candidate.id
        self._offer = offer
        self._is_alone = _is_alone(candidate.manifest)
        self._left_out: set[str] = set()

    @property
    def state(self) -> PluginState:
        """`Ready` if any of them is: what becomes of the others, `report` says."""
        states = [server.state for server in self.servers]
        for kind in (Ready, Spawning, Restarting):
            found = next((state for state in states if isinstance(state, kind)), None)
            if found is not None:
                return found
        troubles = [f"`{server.name}`: {server.trouble}" for server in self.servers]
        return Failed(f"MCP server {'; '.join(troubles)}" if troubles else "it has no MCP server")

    def report(self, *, now: float) -> Sequence[Mapping[str, Any]]:
        """Return how each of them stands, as JSON."""
        return [server.report(now=now) for server in self.servers]

    def changed(self) -> None:
        """Offer what they offer now."""
        offered: dict[str, OfferedTool] = {}
        for server in self.servers:
            if isinstance(server.state, Failed | Shutdown):
                continue
            for tool in server.tools:
                name = tool_name(server.name, tool.name, is_alone=self._is_alone)
                if name in offered:
                    self._warn_once(name, "another of its servers has one of that name")
                else:
                    offered[name] = _offered(server, tool, name)
        self._offer(tuple(self._fitting(offered)))

    def _fitting(self, offered: Mapping[str, OfferedTool]) -> Sequence[OfferedTool]:
        """Return the tools that a plugin may offer in all."""
        tools = tuple(each.registration for each in offered.values())
        kept = {each.name for each in merged(Registrations(), Registrations(tools=tools)).tools}
        for name in offered.keys() - kept:
            self._warn_once(name, "its servers have more than a plugin may offer")
        return [each for name, each in offered.items() if name in kept]

    def _warn_once(self, name: str, reason: str) -> None:
        if name not in self._left_out:
            self._left_out.add(name)
            logger.warning(
                "plugin %s: tool `%s` is left out: %s", self._plugin_id, plain_line(name), reason
            )


def _is_alone(manifest: Manifest) -> bool:
    """Say whether all tools of a plugin are those of one server."""
    has_others = manifest.tier is Tier.WRAPPER or (
        manifest.tier is Tier.PROCESS and manifest.capabilities.tools != frozenset()
    )
    return len(manifest.mcp_servers) == 1 and not has_others


def _offered(server: BridgedServer, tool: ToolRegistration, name: str) -> OfferedTool:
    async def call(arguments: Mapping[str, Any], _occasion: Occasion) -> PluginAnswer:
        return await server.use(tool.name, arguments)

    return OfferedTool(registration=replace(tool, name=name), call=call)
