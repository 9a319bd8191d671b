"""What plugins may look at, change or stop: the points at which they are asked. Pure.

Whoever does something that plugins may have a say in fires a hook at its point; whoever does
something that they may watch tells an event. Which plugins there are, neither knows.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

from extensions.callers import Caller

Payload: TypeAlias = Mapping[str, Any]
"""What a hook or an event is about: plain JSON."""

SPEAKER_AGENT = "speaker"
"""The agent id of every speaker; that of a job is the job's id."""


class HookPoint(StrEnum):
    """A point at which plugins are asked. The values are the names on the wire of `sep`."""

    INPUT = "input"
    """A person has said something; it has not been taken to the speaker yet."""
    BEFORE_AGENT_START = "before_agent_start"
    """A prompt is about to be said to a speaker."""
    CONTEXT = "context"
    """Messages are about to go to the model."""
    BEFORE_PROVIDER_REQUEST = "before_provider_request"
    """A request is about to go to the model's API."""
    TOOL_CALL = "tool_call"
    """A tool is about to be used."""
    TOOL_RESULT = "tool_result"
    """A tool has given back something, which the model has not seen yet."""
    MESSAGE_END = "message_end"
    """An answer is whole; its last form has not been shown yet."""
    USER_BASH = "user_bash"
    """A program is about to be run for a plugin."""
    SESSION_BEFORE_COMPACT = "session_before_compact"
    """Claude is about to sum its session up."""
    SESSION_BEFORE_TREE = "session_before_tree"
    """A session is about to go on from an earlier point."""

    @property
    def fails_closed(self) -> bool:
        """Whether a plugin that does not answer counts as one that forbids it."""
        return self in {HookPoint.TOOL_CALL, HookPoint.USER_BASH}

    @property
    def timeout_seconds(self) -> float:
        """How long one plugin may take, unless its manifest says otherwise."""
        return 60.0 if self.fails_closed else 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """On whose behalf something is done, as far as that is known."""

    agent_id: str = SPEAKER_AGENT
    """`speaker`, or the id of the job."""
    session_id: str | None = None
    """The session in which it is done, or that asked for the job."""
    person_id: int | None = None
    """Discord's id of the person whose turn it is, or who asked for the job."""
    guild_id: int | None = None
    """`None` in a direct message, too."""
    channel_id: int | None = None
    """Where it was asked for; `None`: nobody knows."""


NOWHERE = Occasion()
"""Nobody asked for it: the bot does it of itself."""

OccasionOf = Callable[[Caller], Awaitable[Occasion]]
"""Returns on whose behalf a spawned Claude works at present."""


@dataclass(frozen=True, slots=True)
class Pass:
    """No plugin wants anything else."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Plugins want it otherwise."""

    value: Payload
    """What counts now: the whole value, every plugin's patch in it."""
    by: tuple[str, ...]
    """The ids of the plugins that changed it, in their order."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """A plugin forbids it."""

    reason: str
    """A sentence or a few words of the plugin's: data, for the model and the people."""
    by: str
    """The plugin's id."""


Ruling: TypeAlias = Pass | Changed | Blocked
"""What plugins say of something."""


class HookChain(Protocol):
    """Asks the plugins, one after the other; each sees what those before it changed."""

    def is_hooked(self, point: HookPoint, /) -> bool:
        """Say whether any plugin has a say there at present, or may soon; at once."""
        ...

    async def fire(self, point: HookPoint, value: Payload, occasion: Occasion, /) -> Ruling:
        """Ask them. It never raises, and ends within the plugins' time limits.

        While plugins are only being started, it waits until they are.
        """
        ...


class Observers(Protocol):
    """Tells the plugins what happens; none can hold it up."""

    def is_observed(self, event: str, /) -> bool:
        """Say whether any plugin is told of that event at present; at once."""
        ...

    def tell(self, event: str, payload: Payload, occasion: Occasion, /) -> None:
        """Tell those that asked for it. It never raises and never waits."""
        ...


class NoPlugins:
    """There are no plugins: nothing is hooked, nothing is observed."""

    def is_hooked(self, point: HookPoint, /) -> bool:  # noqa: ARG002 - as the protocol has it
        """Return `False`."""
        return False

    async def fire(
        self,
        point: HookPoint,  # noqa: ARG002 - as the protocol has it
        value: Payload,  # noqa: ARG002 - as the protocol has it
        occasion: Occasion,  # noqa: ARG002 - as the protocol has it
    ) -> Ruling:
        """Let it pass."""
        return Pass()

    def is_observed(self, event: str, /) -> bool:  # noqa: ARG002 - as the protocol has it
        """Return `False`."""
        return False

    def tell(
        self,
        event: str,
        payload: Payload,
        occasion: Occasion,
    ) -> None:
        """Do nothing."""


async def nobodys_occasion(_caller: Caller) -> Occasion:
    """Return that nobody knows on whose behalf a Claude works."""
    return NOWHERE
