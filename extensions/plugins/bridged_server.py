"""One MCP server of a plugin: kept up like a plugin's own program, and its tools called."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from extensions.errors import PluginCallError
from extensions.plugins.breaking import ENDED_MEANWHILE, LetThrough
from extensions.plugins.bridge_parts import BridgeParts
from extensions.plugins.lifecycle import Failed, PluginState, Ready, Restarting
from extensions.plugins.manifest import Candidate
from extensions.plugins.mcp_wire import answer_of
from extensions.plugins.registrations import PluginAnswer, ToolRegistration
from extensions.plugins.server_charge import ServerCharge
from extensions.plugins.supervision import Supervisor
from extensions.rpc.errors import PeerError, PeerGoneError, RpcError


class BridgedServer:
    """An MCP server of a plugin."""

    def __init__(
        self,
        candidate: Candidate,
        name: str,
        parts: BridgeParts,
        *,
        slots: asyncio.Semaphore,
        changed: Callable[[], None],
    ) -> None:
        """Take a server; `run` starts it.

        Args:
            candidate: Whose server it is.
            name: What it is called there.
            parts: What it is kept up with.
            slots: How many may be started at once.
            changed: Called after each change of its state, or of its tools.
        """
        self._settings = parts.settings
        self._changed = changed
        self._is_over = asyncio.Event()
        self._tools_changed = asyncio.Event()
        self._has_failed = asyncio.Event()
        self._retry_seconds = parts.settings.first_retry_seconds
        self._charge = ServerCharge(candidate, name, parts, tools_changed=self._tools_changed.set)
        watched = parts.host.supervision
        self._supervisor = Supervisor(self._charge, slots, watched, self._has_changed)

    @property
    def id(self) -> str:
        """What it is called in the log."""
        return self._charge.id

    @property
    def name(self) -> str:
        """What it is called within its plugin."""
        return self._charge.name

    @property
    def tools(self) -> tuple[ToolRegistration, ...]:
        """Its tools, as it calls them; those of its last start while it is down."""
        return self._charge.tools

    @property
    def state(self) -> PluginState:
        """Whether it is up."""
        return self._supervisor.lifecycle.state

    @property
    def trouble(self) -> str | None:
        """Why it is not up; `None` if it is, or is being started for the first time."""
        state = self.state
        if isinstance(state, Restarting):
            return f"{self._charge.down_because}; it is started again"
        return state.reason if isinstance(state, Failed) else None

    async def run(self) -> None:
        """Keep it up until `stop`."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._supervisor.run())
            tasks.create_task(self._reread())
            if self._charge.spec.url is not None:
                tasks.create_task(self._try_again())

    def stop(self) -> None:
        """End it for good."""
        for each in (self._is_over, self._tools_changed, self._has_failed):
            each.set()
        self._supervisor.stop("stop")

    async def use(self, tool: str, arguments: Mapping[str, Any]) -> PluginAnswer:
        """Use one of its tools.

        Raises:
            PluginCallError: If it came to nothing.
        """
        charge = self._charge
        plugin_id, link = charge.candidate.id, charge.link
        if link is None:
            reason = f"MCP server `{self.name}` is not ready: {charge.down_because}"
            raise PluginCallError(plugin_id, reason)
        if charge.open_calls >= self._settings.most_calls:
            raise PluginCallError(plugin_id, f"MCP server `{self.name}` has too much to do")
        charge.open_calls += 1
        try:
            with LetThrough(charge.breaker, plugin_id):
                seconds = self._settings.call_seconds
                return answer_of(await link.use(tool, arguments, timeout_seconds=seconds))
        except RpcError as error:
            raise PluginCallError(plugin_id, f"tool `{tool}` failed: {error.message}") from error
        except PluginCallError as error:
            is_dismissed = link is charge.dismissed and isinstance(error.__cause__, PeerGoneError)
            why = ENDED_MEANWHILE if is_dismissed else error.reason
            reason = f"MCP server `{self.name}`: {why}"
            raise PluginCallError(plugin_id, reason) from error
        finally:
            charge.open_calls -= 1

    def report(self, *, now: float) -> dict[str, Any]:
        """Return how it stands, as JSON."""
        charge = self._charge
        link, breaker = charge.link, charge.breaker
        return {
            "name": self.name,
            "transport": charge.spec.transport,
            "state": str(self.state),
            "reason": self.trouble,
            "pid": None if link is None else link.pid,
            "restarts": self._supervisor.lifecycle.restarts,
            "tools": [tool.name for tool in self.tools],
            "breaker": {
                "name": breaker.name,
                "state": str(breaker.state(now=now)),
                "times_opened": breaker.times_opened,
            },
            "counts": {} if link is None else dict(link.counts),
        }

    async def _reread(self) -> None:
        """Read its tools anew whenever it says that they have changed."""
        while not self._is_over.is_set():
            await self._tools_changed.wait()
            self._tools_changed.clear()
            charge, link = self._charge, self._charge.link
            if link is None or self._is_over.is_set():
                continue
            try:
                tools = await charge.listed(link)
            except (RpcError, PeerError) as error:
                charge.warn(f"its tools cannot be read anew: {error}")
            else:
                # Else it was started again meanwhile, and they were read then.
                if charge.link is link and tools != charge.tools:
                    charge.tools = tools
                    self._changed()
            # However often it says so.
            await self._pause(self._settings.reread_seconds)

    async def _try_again(self) -> None:
        """Have a server at an address tried again that was given up: it may just have been off."""
        while not self._is_over.is_set():
            await self._has_failed.wait()
            self._has_failed.clear()
            if self._charge.was_refused or not self._is_given_up():
                continue
            seconds = self._retry_seconds
            self._retry_seconds = min(seconds * 2, self._settings.longest_retry_seconds)
            await self._pause(seconds)
            if self._is_given_up() and not self._is_over.is_set():
                self._supervisor.renew("it is tried again")

    def _is_given_up(self) -> bool:
        return isinstance(self.state, Failed)

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._is_over.wait()

    def _has_changed(self) -> None:
        if isinstance(self.state, Ready):
            self._retry_seconds = self._settings.first_retry_seconds
        if self._is_given_up():
            self._has_failed.set()
        self._changed()
