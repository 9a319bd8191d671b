"""What the two wire formats have in common: the questions that either puts into its words. Pure.

What is sent is an `Order`; what came back is read into a value. Nothing here waits or sends.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias

from extensions.hooks import HookPoint, Occasion, Payload
from extensions.plugins.manifest import Manifest
from extensions.plugins.registrations import PluginAnswer, PluginCompletion, Registrations

PROTOCOL_VERSION = 1
"""The newest version of `sep` that this host speaks."""


# A tuple, as is `CallMark`: both are made for each call, and tuples in a third of the time.
class Order(NamedTuple):
    """What is sent: a request, or a notification."""

    method: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Farewell:
    """How a plugin is told to end."""

    order: Order
    is_request: bool
    """Whether it answers before it ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """What a plugin is told when it has started."""

    manifest: Manifest
    host_version: str
    workspace_root: str
    workspace_trusted: bool
    flags: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """What a plugin answers to that."""

    registrations: Registrations
    protocol: int = PROTOCOL_VERSION
    """The version that both speak from now on."""
    warnings: tuple[str, ...] = ()
    """What of it was left out, and why: a sentence's end each."""


@dataclass(frozen=True, slots=True)
class BadGreeting:
    """It answered what cannot be used."""

    reason: str


class CallMark(NamedTuple):
    """What marks one call."""

    call_id: str
    occasion: Occasion
    context: Mapping[str, str] | None = None
    """As it stands on the wire; `None` where there are none."""


@dataclass(frozen=True, slots=True)
class Continues:
    """The plugin wants nothing else."""


@dataclass(frozen=True, slots=True)
class Modifies:
    """The plugin wants these members of the value otherwise."""

    patch: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Blocks:
    """The plugin forbids it."""

    reason: str | None
    """As it says; `None`: it does not."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """It answered what means nothing here."""

    reason: str


HookAnswer: TypeAlias = Continues | Modifies | Blocks | Unusable

EventParams: TypeAlias = Callable[[int], dict[str, Any]]
"""Returns the parameters of an event, given its number."""


class Wire(Protocol):
    """One wire format."""

    has_contexts: bool
    """Whether a call says in which context it is made."""
    first_id: int
    """The number of the first request, which is the handshake."""
    must_answer_pings: bool
    """Whether a plugin that never answered a ping counts as hung."""

    def greeting(self, welcome: Welcome, /) -> Order:
        """Return the first request."""
        ...

    def greeted(self, result: Any, /) -> Greeting | BadGreeting:
        """Return what the answer to it says."""
        ...

    def tool_call(self, name: str, arguments: Mapping[str, Any], mark: CallMark, /) -> Order:
        """Return the request that uses a tool."""
        ...

    def older_tool_call(self, name: str, arguments: Mapping[str, Any], /) -> Order | None:
        """Return how plugins are asked that do not know the other; `None`: all know it."""
        ...

    def tool_answer(self, result: Any, /) -> PluginAnswer | Unusable:
        """Return what the tool gave back."""
        ...

    def command(self, name: str, raw: str, mark: CallMark, /) -> Order | None:
        """Return the request that runs a command; `None` where there are no commands."""
        ...

    def command_answer(self, result: Any, /) -> str:
        """Return what the command says; empty if it says nothing."""
        ...

    def completion(self, name: str, partial: str, mark: CallMark, /) -> Order | None:
        """Return the request for what a command's arguments may be completed to."""
        ...

    def completions(self, result: Any, /) -> list[PluginCompletion]:
        """Return them."""
        ...

    def hook_name(self, point: HookPoint, /) -> str | None:
        """Return what the hook at that point is called; `None`: there is none."""
        ...

    def hook(self, point: HookPoint, value: Payload, mark: CallMark, /) -> Order:
        """Return the request that asks at a point that has a name."""
        ...

    def hook_answer(self, point: HookPoint, result: Any, /) -> HookAnswer:
        """Return what the plugin wants."""
        ...

    def event(
        self, name: str, payload: Payload, context: Mapping[str, str] | None, /
    ) -> EventParams | None:
        """Return what an event says; `None` where there are no events."""
        ...

    def ping(self) -> Order:
        """Return a request that every plugin answers at once."""
        ...

    def farewell(self, reason: str, /) -> Farewell:
        """Return what is said before the program is ended."""
        ...
