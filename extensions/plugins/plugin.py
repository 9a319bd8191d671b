"""One plugin: a program that is kept running, and all that it can be asked."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from extensions.hooks import HookPoint, Occasion, Payload
from extensions.plugins.calls import Calls
from extensions.plugins.contexts import Contexts
from extensions.plugins.dialects.dialect import Greeting, HookAnswer
from extensions.plugins.guarding import GUARDED, closed_words
from extensions.plugins.hook_asking import HookAsking
from extensions.plugins.lifecycle import Failed, Lifecycle, PluginState, Shutdown
from extensions.plugins.manifest import Candidate, Manifest
from extensions.plugins.offers import Offers
from extensions.plugins.parts import HostParts
from extensions.plugins.plain_lines import plain_line
from extensions.plugins.plugin_program import PluginProgram
from extensions.plugins.plugin_uses import PluginUses
from extensions.plugins.registrations import Registrations, ToolRegistration
from extensions.plugins.served import ServingHost, ToolProgress
from extensions.plugins.services import AuditKind
from extensions.plugins.supervision import Supervisor
from extensions.rpc.messages import RequestId

WIDGET_KEY = "widget/key"
"""The event that tells that people pressed a key of a widget."""

logger = logging.getLogger(__name__)


class Plugin(PluginUses):
    """A plugin that is loaded. It satisfies `ServedPlugin` and `ProviderPlugin`."""

    def __init__(
        self,
        candidate: Candidate,
        parts: HostParts,
        host: ServingHost,
        *,
        slots: asyncio.Semaphore,
        changed: Callable[[], None],
    ) -> None:
        """Take a plugin; `run` starts it.

        Args:
            candidate: What was found of it.
            parts: What the host works with.
            host: The host that runs it.
            slots: How many programs may be started at once.
            changed: Called after each change of its state, or of what it offers.
        """
        self._host = host
        self._parts = parts
        calls = Calls(candidate.id, is_for_one_party=candidate.manifest.capabilities.ui)
        offers = Offers(candidate.id, changed)
        program = PluginProgram(candidate, parts, calls, owner=self, greeted=self._greeted)
        supervisor = Supervisor(program, slots, parts.settings.supervision, self._moved)
        super().__init__(program, calls, offers, supervisor, parts.settings)
        self._changed = changed
        self._hooks = HookAsking(program, calls, offers, supervisor, changed)

    @property
    def host(self) -> ServingHost:
        """The host that runs it."""
        return self._host

    @property
    def candidate(self) -> Candidate:
        """What was found of it, of late."""
        return self._program.candidate

    @property
    def manifest(self) -> Manifest:
        """What it says of itself."""
        return self._program.candidate.manifest

    @property
    def lifecycle(self) -> Lifecycle:
        """Where it stands."""
        return self._supervisor.lifecycle

    @property
    def state(self) -> PluginState:
        """Whether it runs."""
        return self._supervisor.lifecycle.state

    @property
    def epoch(self) -> int:
        """How many programs were started for it."""
        return self._supervisor.lifecycle.epoch

    @property
    def pid(self) -> int | None:
        """Of its program; `None` while there is none that answers."""
        return None if self._calls.peer is None else self._calls.peer.pid

    @property
    def calls(self) -> Calls:
        """The way of its calls, for those who report on it."""
        return self._calls

    @property
    def registrations(self) -> Registrations:
        """What it offers; that of its last program while it is down."""
        return self._offers.registrations

    @property
    def active(self) -> frozenset[str] | None:
        """Which of its tools it wants to be offered, by its own names; `None`: all."""
        return self._offers.active

    @property
    def offered(self) -> tuple[ToolRegistration, ...]:
        """The tools that models are to be offered now; none while it is down to stay."""
        active = self._offers.active
        if isinstance(self.state, Failed | Shutdown) or not self._offers.is_known:
            return ()
        return tuple(
            tool for tool in self.registrations.tools if active is None or tool.name in active
        )

    @property
    def is_exec_granted(self) -> bool:
        """Whether the operator granted that programs are run for it."""
        return self._parts.may_execute(self.candidate)

    @property
    def occasion(self) -> Occasion:
        """For whom it works: as of its open calls, else of the last one."""
        return self._calls.open.occasion

    @property
    def seconds_left(self) -> float | None:
        """How long its one open call is waited for; `None` if none is open, or several are."""
        return self._calls.open.seconds_left

    async def given_up(self) -> None:
        """Wait until nobody waits any more for any of the calls that are open now."""
        await self._calls.open.given_up()

    @property
    def contexts(self) -> Contexts:
        """The contexts that it was given."""
        return self._calls.contexts

    async def run(self) -> None:
        """Keep it running until `stop`."""
        await self._supervisor.run()

    async def settled(self) -> None:
        """Wait until it is ready, or is down to stay."""
        await self._supervisor.settled()

    def stop(self, reason: str) -> None:
        """End it for good; `settled` returns when it has ended."""
        self._supervisor.stop(reason)

    def renew(self, candidate: Candidate, reason: str) -> None:
        """End its program, and start what was found of it now; `settled` returns then.

        Raises:
            LocalProtocolError: If it was stopped for good.
        """
        self._program.become(candidate)
        self._supervisor.renew(reason)

    def inherit(self, other: "Plugin") -> None:
        """Guard what another guards, in whose place it stands, until it says which hooks it has."""
        self._hooks.inherit(other._hooks)  # noqa: SLF001 - another of its own kind

    @property
    def closes(self) -> tuple[HookPoint, ...]:
        """What is forbidden because it guards that, and is down to stay."""
        if not isinstance(self.state, Failed):
            return ()
        return tuple(point for point in GUARDED if self.may_be_asked(point))

    def may_be_asked(self, point: HookPoint) -> bool:
        """Say whether it has a say there at present, or may soon."""
        return self._hooks.may_be_asked(point)

    async def ask_hook(self, point: HookPoint, value: Payload, occasion: Occasion) -> HookAnswer:
        """Ask it at a point; never raises, and ends within its time limit."""
        return await self._hooks.ask(point, value, occasion)

    def is_told(self, event: str) -> bool:
        """Say whether it asked to be told of that event, and may be."""
        is_subscribed = event in self._offers.registrations.subscriptions
        return is_subscribed and event in self.manifest.capabilities.events

    def tell(self, event: str, payload: Payload, occasion: Occasion) -> None:
        """Tell it of an event, whether it subscribed to it or not."""
        peer, wire = self._calls.peer, self._program.wire
        if peer is None:
            return
        context = self._calls.event_context(occasion) if wire.has_contexts else None
        params = wire.event(event, payload, context)
        if params is not None:
            peer.observe(params)

    def key_pressed(self, widget_id: str | None, key: str, occasion: Occasion) -> None:
        """Tell it that people pressed a key of its widget."""
        payload = {"key": key} if widget_id is None else {"widget_id": widget_id, "key": key}
        # What it shows then is for whoever pressed it.
        self._calls.open.served(occasion)
        self.tell(WIDGET_KEY, payload, occasion)

    def registrations_in(self, params: Mapping[str, Any]) -> Registrations:
        """Return what `params` say that it offers; what does not count is named in the log."""
        return self._offers.read(params, self.manifest)

    def register(self, registrations: Registrations) -> None:
        """Offer this from now on, in place of what it offered."""
        self._offers.take(registrations)

    def set_active(self, tools: frozenset[str]) -> None:
        """Offer of its tools these alone, until it says otherwise."""
        self._offers.set_active(tools)

    def progressed(self, call_id: str, progress: ToolProgress) -> None:
        """Tell whoever waits for that call."""
        self._calls.progressed(call_id, progress)

    def delta_came(self, request_id: str, event: Mapping[str, Any]) -> None:
        """Tell whoever waits for that answer of a provider."""
        self._calls.delta_came(request_id, event)

    async def requested(
        self,
        method: str,
        params: dict[str, Any],
        request_id: RequestId,  # noqa: ARG002 - nothing is known by it here
    ) -> Any:
        """Answer what its program asks."""
        return await self._parts.requests.serve(self, method, params)

    def notified(self, method: str, params: dict[str, Any]) -> None:
        """Take what its program tells."""
        self._parts.requests.notified(self, method, params)

    def stderr(self, line: str) -> None:
        """Write a line of its standard error to the log."""
        logger.info("plugin %s says: %s", self.id, plain_line(line))

    def _moved(self) -> None:
        closed = closed_words(self.closes)
        if closed:
            logger.error("plugin %s guards: %s", self.id, closed)
        self._changed()

    def _greeted(self, greeting: Greeting) -> None:
        for warning in greeting.warnings:
            self._offers.warn(warning)
        self._hooks.greeted()
        self._offers.active = None
        self._offers.take(self._offers.declared(greeting.registrations, self.manifest))
        tools = len(self.registrations.tools)
        text = f"version {self.manifest.version}, tools: {tools}, epoch: {self.epoch}"
        self._parts.audit.note(AuditKind.LOADED, self.id, text)
        logger.info("plugin %s: it is ready: %s", self.id, text)
