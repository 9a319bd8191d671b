"""Offers the tools of plugins to models, each under a name of its own."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from extensions.callers import CallerKind
from extensions.errors import LocalProtocolError, PluginCallError
from extensions.hooks import Observers, Occasion, OccasionOf
from extensions.plugins.calls import OnProgress
from extensions.plugins.hosted import HostedPlugin
from extensions.plugins.naming import public_tool_name
from extensions.plugins.registrations import ToolRegistration
from extensions.plugins.served import ToolProgress
from extensions.tools import Tool, ToolAnswer, ToolCall, ToolHandler, ToolRegistry

LONGEST_DESCRIPTION = 2000
"""In characters, what stands before it included."""
LONGEST_ANSWER = 100_000
"""In characters: what a model can make use of."""
TOOL_UPDATE = "tool_execution_update"
"""The event that tells how far a tool has come."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offered:
    plugin_id: str
    tool: Tool
    rank: tuple[int, str]
    """Of several plugins with a tool of one name the first keeps it, whichever is ready first."""


class ToolShelf:
    """The tools of all plugins, as they stand in the registry."""

    def __init__(
        self,
        registry: ToolRegistry,
        observers: Observers,
        *,
        occasion_of: OccasionOf,
        tools_for_jobs: Callable[[str], frozenset[str] | None],
    ) -> None:
        self._registry = registry
        self._observers = observers
        self._occasion_of = occasion_of
        self._tools_for_jobs = tools_for_jobs
        self._offered: dict[str, dict[str, _Offered]] = {}
        self._lost: set[tuple[str, str]] = set()

    def offer(self, key: str, plugin: HostedPlugin) -> None:
        """Offer what a plugin offers now, in place of what it offered.

        Args:
            key: What its tools are kept under: one for each part of a plugin.
            plugin: Whose they are.
        """
        wanted: dict[str, Tool] = {}
        for registration in plugin.offered:
            tool = self._tool(plugin, registration)
            if tool.name in wanted:
                self._warn_once(plugin.id, tool.name, plugin.id)
            else:
                wanted[tool.name] = tool
        before = self._offered.setdefault(key, {})
        for name, offered in list(before.items()):
            if name not in wanted or not _are_alike(offered.tool, wanted[name]):
                del before[name]
                self._registry.withdraw(name)
        for name, tool in wanted.items():
            if name not in before:
                self._put(key, plugin, tool)

    def withdraw(self, key: str) -> None:
        """Offer nothing of what is kept under `key`."""
        for name in self._offered.pop(key, {}):
            self._registry.withdraw(name)

    def owner_of(self, name: str) -> str | None:
        """Return the id of the plugin whose tool models know by that name."""
        found = (each[name].plugin_id for each in self._offered.values() if name in each)
        return next(found, None)

    def names_of(self, key: str) -> tuple[str, ...]:
        """Return the names by which models know what is kept under `key`."""
        return tuple(self._offered.get(key, ()))

    def _put(self, key: str, plugin: HostedPlugin, tool: Tool) -> None:
        rank = (plugin.manifest.priority, plugin.id)
        self._make_room(tool.name, plugin.id, rank)
        try:
            self._registry.offer(tool)
        except LocalProtocolError:
            self._warn_once(plugin.id, tool.name, self.owner_of(tool.name))
            return
        self._lost.discard((plugin.id, tool.name))
        self._offered[key][tool.name] = _Offered(plugin_id=plugin.id, tool=tool, rank=rank)

    def _make_room(self, name: str, plugin_id: str, rank: tuple[int, str]) -> None:
        """Take a name from a plugin that comes later."""
        for each in self._offered.values():
            held = each.get(name)
            if held is not None and rank < held.rank:
                del each[name]
                self._registry.withdraw(name)
                self._warn_once(held.plugin_id, name, plugin_id)

    def _warn_once(self, plugin_id: str, name: str, winner: str | None) -> None:
        if (plugin_id, name) in self._lost:
            return
        self._lost.add((plugin_id, name))
        holder = "Papercup" if winner is None else f"plugin {winner}"
        logger.warning(
            "plugin %s: tool %s is not offered: %s offers one of that name", plugin_id, name, holder
        )

    def _tool(self, plugin: HostedPlugin, registration: ToolRegistration) -> Tool:
        for_jobs = self._tools_for_jobs(plugin.id)
        kinds = {CallerKind.SPEAKER}
        if for_jobs is None or registration.name in for_jobs:
            kinds.add(CallerKind.JOB)
        return Tool(
            name=public_tool_name(plugin.id, registration.name),
            description=f"[ext:{plugin.id}] {registration.description}"[:LONGEST_DESCRIPTION],
            input_schema=registration.schema,
            checks_arguments=True,
            offered_to=frozenset(kinds),
            handler=self._handler(plugin, registration.name),
        )

    def _handler(self, plugin: HostedPlugin, name: str) -> ToolHandler:
        async def handle(call: ToolCall) -> ToolAnswer:
            occasion = await self._occasion_of(call.caller)
            try:
                answer = await plugin.call_tool(
                    name,
                    call.arguments,
                    occasion,
                    call_id=call.tool_use_id,
                    on_progress=self._teller(call.tool_use_id, occasion),
                )
            except PluginCallError as error:
                return ToolAnswer(f"plugin `{plugin.id}` {error.reason}", is_error=True)
            return ToolAnswer(_clipped(answer.text), is_error=answer.is_error)

        return handle

    def _teller(self, call_id: str | None, occasion: Occasion) -> OnProgress | None:
        if call_id is None or not self._observers.is_observed(TOOL_UPDATE):
            return None

        def tell(progress: ToolProgress) -> None:
            payload = {
                "call_id": call_id,
                "message": progress.message,
                "progress": progress.progress,
                "agent_id": occasion.agent_id,
                "session_id": occasion.session_id,
            }
            self._observers.tell(TOOL_UPDATE, payload, occasion)

        return tell


def _are_alike(one: Tool, other: Tool) -> bool:
    """Say whether models cannot tell two tools of one plugin apart."""
    return replace(one, handler=other.handler) == other


def _clipped(text: str) -> str:
    # Half of a surrogate pair is no text that can be sent.
    whole = text.encode("utf-8", "replace").decode()
    if len(whole) <= LONGEST_ANSWER:
        return whole
    left_out = len(whole) - LONGEST_ANSWER
    return f"{whole[:LONGEST_ANSWER]}\n[{left_out} more characters were left out]"
