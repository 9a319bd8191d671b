"""What the host sees of a plugin, whatever it is made of."""

from collections.abc import Mapping
from typing import Any, Protocol

from extensions.hooks import Occasion
from extensions.plugins.calls import OnProgress
from extensions.plugins.lifecycle import Lifecycle, PluginState
from extensions.plugins.manifest import Candidate, Manifest
from extensions.plugins.registrations import PluginAnswer, Registrations, ToolRegistration


class HostedPlugin(Protocol):
    """A plugin that is loaded."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def candidate(self) -> Candidate:
        """What was found of it, of late."""
        ...

    @property
    def manifest(self) -> Manifest:
        """What it says of itself."""
        ...

    @property
    def lifecycle(self) -> Lifecycle:
        """Where it stands."""
        ...

    @property
    def state(self) -> PluginState:
        """Whether it runs."""
        ...

    @property
    def pid(self) -> int | None:
        """Of its program, if it has one."""
        ...

    @property
    def registrations(self) -> Registrations:
        """What it offers."""
        ...

    @property
    def offered(self) -> tuple[ToolRegistration, ...]:
        """The tools that models are to be offered now."""
        ...

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any],
        occasion: Occasion,
        *,
        call_id: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> PluginAnswer:
        """Use one of its tools; raises PluginCallError."""
        ...

    async def run(self) -> None:
        """Keep it running until `stop`."""
        ...

    async def settled(self) -> None:
        """Wait until it is ready, or is down to stay."""
        ...

    def stop(self, reason: str, /) -> None:
        """End it for good."""
        ...

    def renew(self, candidate: Candidate, reason: str, /) -> None:
        """End it, and start what was found of it now; raises LocalProtocolError."""
        ...
