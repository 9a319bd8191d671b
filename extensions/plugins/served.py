"""What a running plugin is to those who serve what it asks. Pure.

The host's own plugin fits these; whoever serves needs nothing else of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from extensions.hooks import HookChain, Occasion, Payload
from extensions.plugins.contexts import Contexts
from extensions.plugins.manifest import Manifest
from extensions.plugins.registrations import Registrations

OnDelta = Callable[[Mapping[str, Any]], None]
"""Told each piece of an answer that a provider gives, as it came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProgress:
    """How far the call of a plugin's tool has come."""

    message: str | None = None
    progress: float | None = None
    """From 0 to 1."""
    details: Any = None


class ServedPlugin(Protocol):
    """A plugin that runs, and asks for something."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def manifest(self) -> Manifest:
        """What it declares."""
        ...

    @property
    def is_exec_granted(self) -> bool:
        """Whether the operator granted, when it was trusted, that programs are run for it."""
        ...

    @property
    def occasion(self) -> Occasion:
        """For whom it works: as of its one open call, else of the last one.

        It is `NOWHERE` before the first call, and if several are open that differ.
        """
        ...

    @property
    def seconds_left(self) -> float | None:
        """How long its one open call is waited for; `None` if none is open, or several are."""
        ...

    async def given_up(self) -> None:
        """Wait until nobody waits any more for any of the calls that are open now.

        If it answers one of them, or none is open, that is never.
        """
        ...

    @property
    def contexts(self) -> Contexts:
        """The contexts that it was given; those of an earlier epoch are stale."""
        ...

    @property
    def registrations(self) -> Registrations:
        """What it offers at present."""
        ...

    @property
    def host(self) -> "ServingHost":
        """The host that runs it."""
        ...

    def registrations_in(self, params: Mapping[str, Any]) -> Registrations:
        """Return what `params` say that it offers, as its dialect reads them.

        What cannot be read, or is not declared, is left out and named in the log.
        """
        ...

    def register(self, registrations: Registrations) -> None:
        """Offer this from now on, in place of what it offered."""
        ...

    def set_active(self, tools: frozenset[str]) -> None:
        """Offer of its tools these alone, by their own names, until it says otherwise."""
        ...

    def progressed(self, call_id: str, progress: ToolProgress) -> None:
        """Tell whoever waits for that call; nothing happens if nobody does."""
        ...

    def delta_came(self, request_id: str, event: Mapping[str, Any]) -> None:
        """Tell whoever waits for that answer of a provider; nothing happens if nobody does."""
        ...

    def tell(self, event: str, payload: Payload, occasion: Occasion) -> None:
        """Tell it an event, whether it subscribed to it or not; never raises and never waits."""
        ...


class ServingHost(Protocol):
    """What serving a plugin needs of the host that runs it."""

    @property
    def hooks(self) -> HookChain:
        """Asks all plugins."""
        ...

    def running(self) -> Sequence[ServedPlugin]:
        """Return the plugins that are ready at present."""
        ...


class ProviderPlugin(Protocol):
    """A plugin that gives access to models."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def epoch(self) -> int:
        """How many programs were started for it: another one has forgotten what it was told."""
        ...

    @property
    def registrations(self) -> Registrations:
        """What it offers at present."""
        ...

    async def complete_with(
        self, request: Mapping[str, Any], occasion: Occasion, *, on_delta: OnDelta | None = None
    ) -> Mapping[str, Any]:
        """Ask it `provider/complete`, with an id and a context put into it; return its answer.

        Raises:
            PluginCallError: If it failed, took too long, or is down.
        """
        ...

    async def request(
        self, method: str, params: Mapping[str, Any], *, timeout_seconds: float
    ) -> Any:
        """Ask it anything else, and return its answer.

        Raises:
            PluginCallError: If it failed, took too long, or is down.
        """
        ...
