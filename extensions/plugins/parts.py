"""What the plugin host works with."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from extensions.hooks import Occasion, OccasionOf, nobodys_occasion
from extensions.plugins.lifecycle import PluginState
from extensions.plugins.manifest import Candidate, Dialect, Tier
from extensions.plugins.peers import OpenPeer
from extensions.plugins.registrations import PluginAnswer, ToolRegistration
from extensions.plugins.served import ServedPlugin
from extensions.plugins.services import AuditLog, Workspace
from extensions.plugins.supervision import SupervisionOptions
from extensions.process.limits import ProcessLimits
from extensions.rpc.peer import running_peer
from extensions.tools import ToolRegistry

_GIB = 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSettings:
    """How long the host waits for plugins, and how much it does at once."""

    handshake_seconds: float = 10.0
    stdio_call_seconds: float = 30.0
    sep_tool_seconds: float = 120.0
    command_seconds: float = 120.0
    complete_seconds: float = 5.0
    provider_seconds: float = 300.0
    comeback_seconds: float = 5.0
    """How long a tool or a command waits for a program that ended and is started again."""
    ping_seconds: float = 10.0
    stdio_grace_seconds: float = 3.0
    """How long a program may take to end when it is told to."""
    sep_grace_seconds: float = 5.0
    first_load_seconds: float = 15.0
    """How long hooks wait, at most, for the plugins that are loaded at the start."""
    most_spawning: int = 8
    """How many programs are started at once."""
    supervision: SupervisionOptions = field(default_factory=SupervisionOptions)
    limits: ProcessLimits = field(
        default_factory=lambda: ProcessLimits(open_files=4096, file_bytes=2 * _GIB)
    )
    """What each process of a plugin may use."""
    memory_bytes: int | None = 2 * _GIB
    """How much memory a plugin may take, with all that it starts."""
    processes: int | None = 256
    """Of how many processes a plugin may consist."""

    def tool_seconds(self, dialect: Dialect) -> float:
        """Return how long a tool of a plugin may take."""
        return self.sep_tool_seconds if dialect is Dialect.SEP else self.stdio_call_seconds

    def grace_seconds(self, dialect: Dialect) -> float:
        """Return how long the program of a plugin may take to end when it is told to."""
        return self.sep_grace_seconds if dialect is Dialect.SEP else self.stdio_grace_seconds


class Serving(Protocol):
    """Answers what plugins ask: `Requests`."""

    async def serve(self, plugin: ServedPlugin, method: str, params: Mapping[str, Any]) -> Any:
        """Do what a plugin asks, and return the result; raises RpcError."""
        ...

    def notified(self, plugin: ServedPlugin, method: str, params: Mapping[str, Any]) -> None:
        """Take what a plugin tells."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """A tool of a plugin that is no program of its own."""

    registration: ToolRegistration
    call: Callable[[Mapping[str, Any], Occasion], Awaitable[PluginAnswer]]
    """Uses it; raises PluginCallError. The arguments fit the schema."""


Offer = Callable[[tuple[OfferedTool, ...]], None]
"""Takes all tools that are offered from now on, in place of those before."""


class TierView(Protocol):
    """How that stands of which a plugin of such a tier consists."""

    @property
    def state(self) -> PluginState:
        """Whether the plugin is of use; as long as it is only being started: `Spawning`."""
        ...

    def report(self, *, now: float) -> Sequence[Mapping[str, Any]]:
        """Return how each MCP server of it stands, as JSON."""
        ...


class TierOpener(Protocol):
    """Opens plugins of a tier that is no program which speaks a dialect."""

    def __call__(
        self, candidate: Candidate, offer: Offer
    ) -> AbstractAsyncContextManager[TierView | None]:
        """Open one for as long as the block lasts.

        `offer` may be called at any time within the block, and is called after each change of the
        view, if there is one. Whatever is raised on the way in is why it failed; a PluginError's
        reason is shown to people.
        """
        ...


async def nothing_refused(_candidate: Candidate) -> str | None:
    """Return that a plugin may be started."""
    return None


def no_flags(_plugin_id: str) -> Mapping[str, Any]:
    """Return that a plugin has no flags."""
    return {}


def no_tools_for_jobs(_plugin_id: str) -> frozenset[str] | None:
    """Return that jobs are offered none of a plugin's tools."""
    return frozenset()


def no_hook_seconds(_plugin_id: str) -> float | None:
    """Return that the configuration does not say how long a plugin may take for a hook."""
    return None


def nothing_missed(_candidate: Candidate) -> bool:
    """Return that a plugin that may not be started is missed by nobody."""
    return False


def nothing_executed(_candidate: Candidate) -> bool:
    """Return that no programs are run for a plugin."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class HostParts:
    """What the host works with."""

    registry: ToolRegistry
    requests: Serving
    audit: AuditLog
    environment_of: Callable[[Candidate], Mapping[str, str]]
    """Returns the whole environment of a plugin's program."""
    workspace_of: Callable[[Candidate], Workspace]
    refusal_of: Callable[[Candidate], Awaitable[str | None]] = nothing_refused
    """Asked right before each start: why it may not be started; `None`: it may."""
    is_missed: Callable[[Candidate], bool] = nothing_missed
    """Whether the operator trusts one that may not be started, or did before it changed."""
    may_execute: Callable[[Candidate], bool] = nothing_executed
    """Whether the operator granted it that programs are run for it."""
    occasion_of: OccasionOf = nobodys_occasion
    flags_of: Callable[[str], Mapping[str, Any]] = no_flags
    """Returns what the configuration says to a plugin, by its id."""
    tools_for_jobs: Callable[[str], frozenset[str] | None] = no_tools_for_jobs
    """Which of a plugin's tools jobs are offered, by its id; `None`: all."""
    hook_seconds_of: Callable[[str], float | None] = no_hook_seconds
    """How long the configuration lets a plugin take for a hook, by its id; `None`: not said."""
    tiers: Mapping[Tier, TierOpener] = field(default_factory=dict[Tier, TierOpener])
    """What opens plugins that are not of the tier `PROCESS`."""
    host_version: str
    settings: HostSettings = field(default_factory=HostSettings)
    open_peer: OpenPeer = running_peer
