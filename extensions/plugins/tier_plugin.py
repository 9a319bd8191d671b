"""A plugin that is no program which speaks a dialect: its tools come from elsewhere."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from extensions.errors import LocalProtocolError, PluginCallError, PluginError
from extensions.hooks import Occasion
from extensions.plugins.calls import OnProgress
from extensions.plugins.lifecycle import (
    Failed,
    Lifecycle,
    PluginState,
    Ready,
    Restarting,
    Shutdown,
    Spawning,
)
from extensions.plugins.manifest import Candidate, Manifest, Tier
from extensions.plugins.offers import Offers
from extensions.plugins.parts import HostParts, OfferedTool, TierView
from extensions.plugins.plain_lines import plain_line
from extensions.plugins.registrations import PluginAnswer, Registrations, ToolRegistration
from extensions.plugins.services import AuditKind

_OUR_FAULT = "an error inside Papercup, which is in its log"

logger = logging.getLogger(__name__)


class TierPlugin:
    """A plugin, or the part of one, that another tier's opener keeps up."""

    def __init__(
        self,
        candidate: Candidate,
        tier: Tier,
        parts: HostParts,
        *,
        slots: asyncio.Semaphore,
        changed: Callable[[], None],
    ) -> None:
        """Take a plugin; `run` opens it.

        Args:
            candidate: What was found of it.
            tier: Whose opener opens it.
            parts: What the host works with.
            slots: How many plugins may be started at once.
            changed: Called after each change of its state, or of what it offers.
        """
        self._candidate = candidate
        self._tier = tier
        self._parts = parts
        self._slots = slots
        self._changed = changed
        self._lifecycle = Lifecycle()
        self._offers = Offers(candidate.id, changed)
        self._calls: Mapping[str, OfferedTool] = {}
        self._view: TierView | None = None
        self._order = asyncio.Event()
        self._news = asyncio.Event()
        self._is_stopping = False

    @property
    def id(self) -> str:
        """Its id."""
        return self._candidate.id

    @property
    def candidate(self) -> Candidate:
        """What was found of it, of late."""
        return self._candidate

    @property
    def manifest(self) -> Manifest:
        """What it says of itself."""
        return self._candidate.manifest

    @property
    def lifecycle(self) -> Lifecycle:
        """Where it stands."""
        return self._lifecycle

    @property
    def state(self) -> PluginState:
        """Whether it is up, and of use."""
        state = self._lifecycle.state
        return state if self._view is None or not isinstance(state, Ready) else self._view.state

    @property
    def pid(self) -> int | None:
        """Nothing: it is no program of its own."""
        return None

    @property
    def registrations(self) -> Registrations:
        """What it offers."""
        return self._offers.registrations

    @property
    def offered(self) -> tuple[ToolRegistration, ...]:
        """The tools that models are to be offered now."""
        return self._offers.registrations.tools if self._has_tools else ()

    def report(self, *, now: float) -> Sequence[Mapping[str, Any]]:
        """Return how each MCP server of it stands, as JSON."""
        return () if self._view is None else self._view.report(now=now)

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        occasion: Occasion,
        *,
        call_id: str | None = None,  # noqa: ARG002 - nobody is told of its calls
        on_progress: OnProgress | None = None,  # noqa: ARG002 - it does not say
    ) -> PluginAnswer:
        """Use one of its tools.

        Raises:
            PluginCallError: If it came to nothing.
        """
        tool, check = self._calls.get(name), self._offers.checks.get(name)
        if tool is None or check is None or not self._has_tools:
            raise PluginCallError(self.id, f"it has no tool `{name}` at present")
        complaint = check(arguments)
        if complaint is not None:
            reason = f"tool `{name}` does not take these arguments: {complaint}"
            raise PluginCallError(self.id, reason)
        return await tool.call(arguments, occasion)

    async def run(self) -> None:
        """Keep it up until `stop`."""
        while not self._is_stopping:
            self._order.clear()
            try:
                await self._open()
            except PluginError as error:
                logger.warning("plugin %s: %s", self.id, plain_line(error.reason))
                self._fail(error.reason)
            except Exception:
                logger.exception("plugin %s could not be opened", self.id)
                self._fail(_OUR_FAULT)
            await self._order.wait()
        self._set(self._lifecycle.shut_down())

    async def settled(self) -> None:
        """Wait until it is up, or is down to stay."""
        while not self._is_settled():
            self._news.clear()
            await self._news.wait()

    def stop(self, _reason: str) -> None:
        """End it for good."""
        self._is_stopping = True
        self._order.set()
        self._news.set()

    def renew(self, candidate: Candidate, _reason: str) -> None:
        """Close it, and open what was found of it now.

        Raises:
            LocalProtocolError: If it was stopped for good.
        """
        if self._is_stopping:
            raise LocalProtocolError("a plugin is opened anew after it was stopped")
        self._candidate = candidate
        self._order.set()
        self._set(self._lifecycle.reloading())

    @property
    def _has_tools(self) -> bool:
        return isinstance(self.state, Ready | Restarting)

    def _is_settled(self) -> bool:
        state = self._lifecycle.state
        is_down = isinstance(state, Shutdown)
        return is_down or (isinstance(state, Ready | Failed) and not self._order.is_set())

    async def _open(self) -> None:
        opener = self._parts.tiers.get(self._tier)
        if opener is None:
            raise PluginError(self.id, f"plugins of the tier {self._tier} are not served here")
        async with self._slots:
            refusal = await self._parts.refusal_of(self._candidate)
        if refusal is not None:
            raise PluginError(self.id, refusal)
        self._set(self._lifecycle.spawned())
        async with opener(self._candidate, self._offer) as view:
            self._view = view
            try:
                await self._stay()
            finally:
                self._view = None

    async def _stay(self) -> None:
        """Wait until it has begun, and then until there is an order."""
        while not self._order.is_set() and not self._has_begun():
            self._news.clear()
            await self._news.wait()
        if self._order.is_set():
            return
        self._set(self._lifecycle.ready())
        text = f"version {self.manifest.version}, tier {self._tier}"
        self._parts.audit.note(AuditKind.LOADED, self.id, text)
        logger.info("plugin %s: it is ready: %s", self.id, text)
        await self._order.wait()

    def _has_begun(self) -> bool:
        return self._view is None or not isinstance(self._view.state, Spawning)

    def _offer(self, tools: tuple[OfferedTool, ...]) -> None:
        self._calls = {each.registration.name: each for each in tools}
        self._offers.take(Registrations(tools=tuple(each.registration for each in tools)))
        self._news.set()

    def _fail(self, reason: str) -> None:
        if not self._is_stopping and not self._order.is_set():
            self._set(self._lifecycle.failed(reason))

    def _set(self, lifecycle: Lifecycle) -> None:
        self._lifecycle = lifecycle
        self._news.set()
        self._changed()
