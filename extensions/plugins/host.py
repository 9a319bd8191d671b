"""Runs the plugins, and is how the rest of the program reaches them."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from extensions.errors import PluginNotFoundError
from extensions.hooks import HookChain, HookPoint, Occasion, Payload, Ruling
from extensions.plugins.hook_chain import PluginHookChain
from extensions.plugins.host_report import report_on
from extensions.plugins.hosted import HostedPlugin
from extensions.plugins.lifecycle import Failed, Ready, Shutdown
from extensions.plugins.manifest import Candidate
from extensions.plugins.parts import HostParts, HostSettings, OfferedTool
from extensions.plugins.plugin import Plugin
from extensions.plugins.plugin_tools import ToolShelf
from extensions.plugins.registrations import PluginCompletion
from extensions.plugins.roster import Roster

__all__ = [
    "HostParts",
    "HostSettings",
    "OfferedTool",
    "PluginCommand",
    "PluginHost",
    "open_plugin_host",
]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginCommand:
    """A command of a plugin, as it is offered at present."""

    plugin_id: str
    name: str
    """Without the slash."""
    description: str


class PluginHost:
    """The plugins that are loaded; satisfies `HookChain` and `Observers`."""

    def __init__(self, parts: HostParts, tasks: asyncio.TaskGroup) -> None:
        """Make it; `open_plugin_host` does.

        Args:
            parts: What it works with.
            tasks: Where the plugins run.
        """
        self._watchers: list[Callable[[], None]] = []
        self._hooked: dict[HookPoint, bool] = {}
        self._observed: dict[str, bool] = {}
        """Both as it was found out since the last change of a plugin."""
        self._first_load = asyncio.Event()
        self._are_known = False
        """Whether there was a load: from then on it is known which plugins there are."""
        self._loop = asyncio.get_running_loop()
        self._waits_until = self._loop.time() + parts.settings.first_load_seconds
        shelf = ToolShelf(
            parts.registry,
            self,
            occasion_of=parts.occasion_of,
            tools_for_jobs=parts.tools_for_jobs,
        )
        self._roster = Roster(parts, tasks, self, shelf, self._changed)
        self._chain = PluginHookChain(
            lambda: self._roster.programs,
            owner_of=shelf.owner_of,
            audit=parts.audit,
            is_loading=lambda: not self._first_load.is_set(),
            loaded=self._loaded,
            are_known=lambda: self._are_known,
        )

    @property
    def hooks(self) -> HookChain:
        """Asks all plugins."""
        return self._chain

    @property
    def plugins(self) -> tuple[HostedPlugin, ...]:
        """Those that are loaded, also those that are down, in the order in which hooks ask."""
        return self._roster.plugins

    def running(self) -> tuple[Plugin, ...]:
        """Return those that are programs, and are ready."""
        return tuple(each for each in self._roster.programs if isinstance(each.state, Ready))

    async def load(self, candidates: Sequence[Candidate]) -> None:
        """Start plugins, several at a time, and return when each is ready or has failed.

        One that is loaded already is left alone. It never raises: why one is down stands in
        `report`. Hooks wait for the first load, be it of none.
        """
        self._are_known = True
        try:
            await self._roster.load(candidates)
        finally:
            self._first_load.set()

    async def unload(self, plugin_id: str) -> None:
        """Stop a plugin, and take away what it offers.

        Raises:
            PluginNotFoundError: If none of that id is loaded.
        """
        await self._roster.unload(plugin_id)

    async def reload(self, candidate: Candidate) -> HostedPlugin:
        """Start a plugin anew, from what was found now; one that is not loaded is loaded.

        Raises:
            PluginCallError: If it does not become ready.
        """
        return await self._roster.reload(candidate)

    def find(self, plugin_id: str) -> HostedPlugin:
        """Return the plugin of that id.

        Raises:
            PluginNotFoundError: If none of that id is loaded.
        """
        return self._roster.find(plugin_id)

    def find_program(self, plugin_id: str) -> Plugin:
        """Return the plugin of that id, if it is a program that speaks a dialect.

        Raises:
            PluginNotFoundError: If none of that id is loaded.
        """
        plugin = self._roster.find(plugin_id)
        if not isinstance(plugin, Plugin):
            raise PluginNotFoundError(plugin_id, "it is not a program that can be asked")
        return plugin

    def watch(self, changed: Callable[[], None]) -> None:
        """Have `changed` called after each change of the plugins or of what they offer."""
        self._watchers.append(changed)

    def commands(self) -> tuple[PluginCommand, ...]:
        """Return the commands that are offered at present, in the order of the plugins."""
        return tuple(
            PluginCommand(plugin_id=each.id, name=command.name, description=command.description)
            for each in self._roster.programs
            if not isinstance(each.state, Failed | Shutdown)
            for command in each.registrations.commands
        )

    async def run_command(self, plugin_id: str, name: str, raw: str, occasion: Occasion) -> str:
        """Run a command, and return what it says to people: data, not empty.

        Args:
            plugin_id: Whose command it is.
            name: Without the slash.
            raw: What was written behind it.
            occasion: For whom.

        Raises:
            PluginNotFoundError: If none of that id is loaded.
            PluginCallError: If it failed; its `reason` is what people are shown.
        """
        return await self.find_program(plugin_id).run_command(name, raw, occasion)

    async def complete_command(
        self, plugin_id: str, name: str, partial: str, occasion: Occasion
    ) -> list[PluginCompletion]:
        """Return what the arguments may be completed to; nothing if that cannot be found out."""
        try:
            plugin = self.find_program(plugin_id)
        except PluginNotFoundError:
            return []
        return await plugin.complete_command(name, partial, occasion)

    def key_pressed(self, plugin_id: str, widget_id: str | None, key: str, at: Occasion) -> None:
        """Tell a plugin that people pressed a key of its widget; nothing if it is gone."""
        with suppress(PluginNotFoundError):
            self.find_program(plugin_id).key_pressed(widget_id, key, at)

    def providers(self) -> tuple[tuple[str, str], ...]:
        """Return the providers that are offered at present: the plugin's id, and the name."""
        return tuple(
            (each.id, provider.name)
            for each in self.running()
            for provider in each.registrations.providers
        )

    def report(self) -> list[dict[str, Any]]:
        """Return how each plugin stands, as JSON."""
        now = self._loop.time()
        roster = self._roster
        return [
            report_on(each, roster.tools_of(each.id), roster.servers_of(each.id, now=now), now=now)
            for each in self.plugins
        ]

    def is_hooked(self, point: HookPoint) -> bool:
        """Say whether any plugin has a say there at present, or may soon; at once."""
        if not self._first_load.is_set():
            return self._chain.is_hooked(point)
        known = self._hooked.get(point)
        if known is None:
            known = self._hooked[point] = self._chain.is_hooked(point)
        return known

    async def fire(self, point: HookPoint, value: Payload, occasion: Occasion) -> Ruling:
        """Ask the plugins, one after the other; see `HookChain`."""
        return await self._chain.fire(point, value, occasion)

    def is_observed(self, event: str) -> bool:
        """Say whether any plugin is told of that event at present; at once."""
        known = self._observed.get(event)
        if known is None:
            known = any(each.is_told(event) for each in self._roster.programs)
            self._observed[event] = known
        return known

    def tell(self, event: str, payload: Payload, occasion: Occasion) -> None:
        """Tell those that asked for it; see `Observers`."""
        for each in self._roster.programs:
            if each.is_told(event):
                each.tell(event, payload, occasion)

    def close(self) -> None:
        """Stop all plugins, and take no more."""
        self._first_load.set()
        self._roster.close()

    async def _loaded(self) -> None:
        """Wait for the first load, but not for ever."""
        if self._first_load.is_set():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._waits_until):
                await self._first_load.wait()

    def _changed(self) -> None:
        self._hooked.clear()
        self._observed.clear()
        for watcher in self._watchers:
            try:
                watcher()
            except Exception:
                logger.exception("a watcher of the plugins failed")


@asynccontextmanager
async def open_plugin_host(parts: HostParts) -> AsyncGenerator[PluginHost, None]:
    """Open a host without plugins; `load` gives it some. All are stopped on exit, at once."""
    failure: BaseException | None = None
    async with asyncio.TaskGroup() as tasks:
        host = PluginHost(parts, tasks)
        try:
            yield host
        except BaseException as error:  # noqa: BLE001 - raised below: the group would wrap it
            failure = error
        host.close()
    if failure is not None:
        raise failure
