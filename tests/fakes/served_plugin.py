"""A running plugin and its host, as far as those know them who serve what plugins ask."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from extensions.hooks import NOWHERE, HookChain, HookPoint, Occasion, Pass, Payload, Ruling
from extensions.plugins.contexts import Contexts, ContextTier
from extensions.plugins.dialects.sep import registrations_of
from extensions.plugins.manifest import Capabilities, Dialect, Manifest
from extensions.plugins.registrations import Registrations
from extensions.plugins.served import OnDelta, ServedPlugin, ToolProgress

AT_UWES = Occasion(session_id="5e55", person_id=7, guild_id=10, channel_id=11)
ALL = Capabilities(
    tools=None,
    commands=True,
    hooks=None,
    ui=True,
    exec=True,
    kv=True,
    bus=True,
    session=True,
    providers=None,
)


def manifest(plugin_id: str, capabilities: Capabilities = ALL) -> Manifest:
    """Return the manifest of a plugin that declares this."""
    return Manifest(
        id=plugin_id,
        dialect=Dialect.SEP,
        version="1.0.0",
        name=plugin_id,
        capabilities=capabilities,
    )


@dataclass
class FakeHooks:
    """Implements `HookChain`: says the same whatever it is asked."""

    ruling: Ruling = field(default_factory=Pass)
    fired: list[tuple[HookPoint, Payload, Occasion]] = field(default_factory=list)

    def is_hooked(self, _point: HookPoint) -> bool:
        return True

    async def fire(self, point: HookPoint, value: Payload, occasion: Occasion) -> Ruling:
        self.fired.append((point, value, occasion))
        return self.ruling


@dataclass
class FakeServingHost:
    """Implements `ServingHost`."""

    hooks: HookChain = field(default_factory=FakeHooks)
    plugins: list[ServedPlugin] = field(default_factory=list)

    def running(self) -> Sequence[ServedPlugin]:
        return self.plugins


@dataclass
class FakeServedPlugin:
    """Implements `ServedPlugin`; it joins its host."""

    id: str = "todo"
    capabilities: Capabilities = ALL
    host: FakeServingHost = field(default_factory=FakeServingHost)
    is_exec_granted: bool = True
    occasion: Occasion = NOWHERE
    seconds_left: float | None = None
    registrations: Registrations = field(default_factory=Registrations)
    contexts: Contexts = field(default_factory=Contexts)
    active: frozenset[str] | None = None
    progress: list[tuple[str, ToolProgress]] = field(default_factory=list)
    deltas: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    told: list[tuple[str, Payload, Occasion]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """What of its registrations could not be read."""
    times_registered: int = 0
    nobody_waits: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once its open calls were given up."""

    def __post_init__(self) -> None:
        self._numbers = count(1)
        self.host.plugins.append(self)

    @property
    def manifest(self) -> Manifest:
        return manifest(self.id, self.capabilities)

    def context(
        self, tier: ContextTier = ContextTier.COMMAND, occasion: Occasion = AT_UWES
    ) -> dict[str, str]:
        """Return a context as the plugin is given it."""
        return self.contexts.mint(tier, occasion, secret=str(next(self._numbers)))

    async def given_up(self) -> None:
        await self.nobody_waits.wait()

    def registrations_in(self, params: Mapping[str, Any]) -> Registrations:
        return registrations_of(params, self.left_out.append)

    def register(self, registrations: Registrations) -> None:
        self.registrations = registrations
        self.times_registered += 1

    def set_active(self, tools: frozenset[str]) -> None:
        self.active = tools

    def progressed(self, call_id: str, progress: ToolProgress) -> None:
        self.progress.append((call_id, progress))

    def delta_came(self, request_id: str, event: Mapping[str, Any]) -> None:
        self.deltas.append((request_id, event))

    def tell(self, event: str, payload: Payload, occasion: Occasion) -> None:
        self.told.append((event, payload, occasion))


Answers = Callable[[str, Mapping[str, Any]], Awaitable[Any]]


@dataclass
class FakeProviderPlugin:
    """Implements `ProviderPlugin`: what it answers is up to the test."""

    answers: Answers
    id: str = "corp"
    epoch: int = 1
    registrations: Registrations = field(default_factory=Registrations)
    asked: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    async def complete_with(
        self, request: Mapping[str, Any], _occasion: Occasion, *, on_delta: OnDelta | None = None
    ) -> Any:
        self.asked.append(("provider/complete", request))
        if on_delta is not None:
            on_delta({"type": "Delta", "content": "par"})
        return await self.answers("provider/complete", request)

    async def request(
        self, method: str, params: Mapping[str, Any], *, timeout_seconds: float
    ) -> Any:
        assert timeout_seconds > 0
        self.asked.append((method, params))
        return await self.answers(method, params)
