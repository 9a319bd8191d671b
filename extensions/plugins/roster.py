"""Which plugins are loaded: starts them, starts them anew, and ends them."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from extensions.errors import PluginCallError, PluginNotFoundError
from extensions.hooks import NOWHERE
from extensions.plugins.hosted import HostedPlugin
from extensions.plugins.lifecycle import Failed, Ready
from extensions.plugins.manifest import Candidate, Tier
from extensions.plugins.parts import HostParts
from extensions.plugins.plugin import Plugin
from extensions.plugins.plugin_tools import ToolShelf
from extensions.plugins.served import ServingHost
from extensions.plugins.tier_plugin import TierPlugin

_RELOAD = "reload"
_UNLOAD = "unload"
_STOP = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A plugin that is loaded."""

    plugin: HostedPlugin
    companion: TierPlugin | None
    """What keeps up the MCP servers that a program brings along."""

    @property
    def all(self) -> tuple[HostedPlugin, ...]:
        """It, and what belongs to it."""
        return (self.plugin,) if self.companion is None else (self.plugin, self.companion)


class Roster:
    """The plugins that are loaded."""

    def __init__(
        self,
        parts: HostParts,
        tasks: asyncio.TaskGroup,
        host: ServingHost,
        shelf: ToolShelf,
        changed: Callable[[], None],
    ) -> None:
        """Make an empty one.

        Args:
            parts: What the host works with.
            tasks: Where the plugins run.
            host: Is told to them as their host.
            shelf: Where their tools are offered.
            changed: Called after each change of a plugin.
        """
        self._parts = parts
        self._tasks = tasks
        self._host = host
        self._shelf = shelf
        self._tell_of_change = changed
        self._slots = asyncio.Semaphore(parts.settings.most_spawning)
        self._members: dict[str, Member] = {}
        self._is_closed = False
        self.plugins: tuple[HostedPlugin, ...] = ()
        """Those that are loaded, in the order in which hooks ask them."""
        self.programs: tuple[Plugin, ...] = ()
        """Those of them that are programs which speak a dialect."""

    def find(self, plugin_id: str) -> HostedPlugin:
        """Return the plugin of that id.

        Raises:
            PluginNotFoundError: If none of that id is loaded.
        """
        return self._member(plugin_id).plugin

    def tools_of(self, plugin_id: str) -> tuple[str, ...]:
        """Return the names by which models know the tools of a plugin."""
        own = self._shelf.names_of(plugin_id)
        return own + self._shelf.names_of(_companion_key(plugin_id))

    def servers_of(self, plugin_id: str, *, now: float) -> list[Mapping[str, Any]]:
        """Return how each MCP server of a plugin stands, as JSON."""
        parts = self._member(plugin_id).all
        own = (each for each in parts if isinstance(each, TierPlugin))
        return [server for each in own for server in each.report(now=now)]

    async def load(self, candidates: Sequence[Candidate]) -> None:
        """Start plugins, and return when each is ready or is down; never raises."""
        added = [self._add(each) for each in candidates if each.id not in self._members]
        for member in added:
            for plugin in member.all:
                await plugin.settled()

    async def unload(self, plugin_id: str) -> None:
        """Stop a plugin, and take away what it offers.

        Raises:
            PluginNotFoundError: If none of that id is loaded.
        """
        member = self._member(plugin_id)
        del self._members[plugin_id]
        await self._end(member)

    async def reload(self, candidate: Candidate) -> HostedPlugin:
        """Start a plugin anew; one that is not loaded is loaded.

        Raises:
            PluginCallError: If it does not become ready.
        """
        member = self._members.get(candidate.id)
        if member is None:
            await self.load([candidate])
        elif _shape(member.plugin.candidate) == _shape(candidate):
            await self._renew(member, candidate)
        else:
            await self._exchange(member, candidate)
        plugin = self.find(candidate.id)
        if not isinstance(plugin.state, Ready):
            state = plugin.state
            raise PluginCallError(
                candidate.id, state.reason if isinstance(state, Failed) else f"it is {state}"
            )
        return plugin

    def close(self) -> None:
        """Stop all of them, and take no more."""
        self._is_closed = True
        for member in self._members.values():
            for plugin in member.all:
                plugin.stop(_STOP)

    def _member(self, plugin_id: str) -> Member:
        member = self._members.get(plugin_id)
        if member is None:
            raise PluginNotFoundError(plugin_id, "no plugin of that id is loaded")
        return member

    async def _renew(self, member: Member, candidate: Candidate) -> None:
        _tell(member.plugin, "session_shutdown")
        for plugin in member.all:
            plugin.renew(candidate, _RELOAD)
        for plugin in member.all:
            await plugin.settled()
        _tell(member.plugin, "session_start")

    async def _exchange(self, old: Member, candidate: Candidate) -> None:
        """End a plugin, and start one that is made of something else in its place."""
        # Hooks ask the new one from now on, and wait for it: what it guards stays guarded.
        new = self._made(candidate)
        if isinstance(new.plugin, Plugin) and isinstance(old.plugin, Plugin):
            new.plugin.inherit(old.plugin)
        self._members[candidate.id] = new
        self._changed()
        try:
            await self._end(old)
        finally:
            self._start(new)
        for plugin in new.all:
            await plugin.settled()

    async def _end(self, member: Member) -> None:
        """Stop a plugin that is no member any more, and take away what it offers."""
        plugin_id = member.plugin.id
        self._shelf.withdraw(plugin_id)
        self._shelf.withdraw(_companion_key(plugin_id))
        for plugin in member.all:
            plugin.stop(_UNLOAD)
        self._changed()
        for plugin in member.all:
            await plugin.settled()

    def _add(self, candidate: Candidate) -> Member:
        member = self._members[candidate.id] = self._made(candidate)
        self._changed()
        self._start(member)
        return member

    def _start(self, member: Member) -> None:
        for each in member.all:
            if self._is_closed:
                each.stop(_STOP)
            self._tasks.create_task(each.run(), name=f"plugin {each.id}")

    def _made(self, candidate: Candidate) -> Member:
        plugin_id, tier = candidate.id, candidate.manifest.tier
        plugin: HostedPlugin
        if tier is Tier.PROCESS:
            plugin = Plugin(
                candidate,
                self._parts,
                self._host,
                slots=self._slots,
                changed=lambda: self._refresh(plugin_id),
            )
        else:
            plugin = self._tier_plugin(candidate, tier)
        needs_companion = tier is not Tier.BRIDGE and bool(candidate.manifest.mcp_servers)
        companion = self._tier_plugin(candidate, Tier.BRIDGE) if needs_companion else None
        return Member(plugin=plugin, companion=companion)

    def _tier_plugin(self, candidate: Candidate, tier: Tier) -> TierPlugin:
        plugin_id = candidate.id
        return TierPlugin(
            candidate,
            tier,
            self._parts,
            slots=self._slots,
            changed=lambda: self._refresh(plugin_id),
        )

    def _refresh(self, plugin_id: str) -> None:
        # It may have been unloaded, or be another one by now.
        member = self._members.get(plugin_id)
        if member is not None:
            self._shelf.offer(plugin_id, member.plugin)
            if member.companion is not None:
                self._shelf.offer(_companion_key(plugin_id), member.companion)
        self._changed()

    def _changed(self) -> None:
        # Asked for several times for each use of a tool, and changed hardly ever.
        plugins = [each.plugin for each in self._members.values()]
        plugins.sort(key=lambda each: (each.manifest.priority, each.id))
        self.plugins = tuple(plugins)
        self.programs = tuple(each for each in plugins if isinstance(each, Plugin))
        self._tell_of_change()


def _companion_key(plugin_id: str) -> str:
    return f"{plugin_id}/mcp"


def _shape(candidate: Candidate) -> tuple[Tier, bool]:
    """Return what a plugin is made of, which stays as it is as long as it is loaded."""
    return candidate.manifest.tier, bool(candidate.manifest.mcp_servers)


def _tell(plugin: HostedPlugin, event: str) -> None:
    if isinstance(plugin, Plugin) and plugin.is_told(event):
        plugin.tell(event, {"reason": _RELOAD}, NOWHERE)
