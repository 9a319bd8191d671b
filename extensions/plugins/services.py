"""What the plugin host needs of the bot. Each is one Protocol; the bot hands them in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from extensions.hooks import Occasion


class Severity(StrEnum):
    """How bad a message to people is."""

    INFO = "info"
    WARN = "warn"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Select:
    """People choose one of several."""

    prompt: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    """People say yes or no."""

    prompt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """People write something."""

    prompt: str
    default: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notify:
    """People are told something."""

    message: str
    severity: Severity = Severity.INFO


@dataclass(frozen=True, slots=True, kw_only=True)
class SetStatus:
    """The plugin's line of status reads so; empty takes it away."""

    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetWidget:
    """The plugin's widget looks so."""

    widget: Mapping[str, Any]
    """A render block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTitle:
    """The title of the place reads so."""

    title: str


UiRequest = Select | Confirm | Input | Notify | SetStatus | SetWidget | SetTitle


@dataclass(frozen=True, slots=True, kw_only=True)
class UiAnswer:
    """How people answered; of what nobody has to answer, that it was shown."""

    value: str | None = None
    """Of a `Select`: the option's text."""
    confirmed: bool | None = None
    """Of a `Confirm`."""
    text: str | None = None
    """Of an `Input`."""
    cancelled: bool = False
    """Whether nobody answered: in time, or at all."""
    wrong: str | None = None
    """What is wrong with the request, so that it cannot be shown; `None`: nothing."""


CANCELLED = UiAnswer(cancelled=True)


class UserInterface(Protocol):
    """How plugins reach people."""

    async def ask(
        self,
        plugin_id: str,
        request: UiRequest,
        occasion: Occasion,
        *,
        within_seconds: float | None = None,
    ) -> UiAnswer:
        """Show people what a plugin asks, and return what they answered.

        It ends within the time limit for answers, and never raises: where nobody can be asked,
        it was cancelled. If the caller stops waiting, the question is withdrawn.

        Args:
            plugin_id: Who asks.
            request: What is asked.
            occasion: For whom the plugin works; `NOWHERE` if for nobody.
            within_seconds: How long an answer is of use, if that is known.
        """
        ...


class Delivery(StrEnum):
    """When something that a plugin says in a person's stead is taken."""

    STEER = "steer"
    """At once: what is being answered is broken off."""
    FOLLOW_UP = "follow_up"
    """After what is being answered."""
    NEXT_TURN = "next_turn"
    """Together with what people say next."""


class SessionActionError(Exception):
    """A session cannot do what a plugin asks of it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        """One sentence."""

    def __str__(self) -> str:
        return self.reason


class Sessions(Protocol):
    """What plugins may do in the session for which they work.

    Each raises `SessionActionError` if that session is not open any more, or cannot do it.
    """

    async def send_message(
        self, plugin_id: str, text: str, *, role: str, occasion: Occasion
    ) -> None:
        """Post a message, which the speaker is told of with the next turn."""
        ...

    async def send_user_message(
        self, plugin_id: str, text: str, *, deliver_as: Delivery, occasion: Occasion
    ) -> None:
        """Say something in the stead of the person for whom the plugin works."""
        ...

    async def append_entry(
        self, plugin_id: str, entry: Mapping[str, Any], occasion: Occasion
    ) -> None:
        """Keep an entry with the session, which no model is shown."""
        ...

    async def set_model(
        self,
        plugin_id: str,
        model: str,
        *,
        provider: str | None,
        thinking: str | None,
        occasion: Occasion,
    ) -> None:
        """Have the speaker answer with another model from its next turn on."""
        ...

    async def state(self, plugin_id: str, occasion: Occasion) -> Mapping[str, Any]:
        """Return how the session stands, with the entries that this plugin appended."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """How a program that was run for a plugin ended."""

    stdout: str
    stderr: str
    exit_code: int


class ExecutionError(Exception):
    """A program cannot be run for a plugin."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        """One sentence."""

    def __str__(self) -> str:
        return self.reason


class Executor(Protocol):
    """Runs programs for plugins, in a jail."""

    async def run(
        self, plugin_id: str, command: Sequence[str], *, cwd: Path | None, occasion: Occasion
    ) -> Executed:
        """Run a program to its end, and return what it printed.

        Raises:
            ExecutionError: If it cannot be run, took too long or printed too much.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """Where plugins work."""

    root: Path
    """The folder of the project or the session."""
    trusted: bool


class AuditKind(StrEnum):
    """What is kept in the log of what plugins did."""

    LOADED = "loaded"
    REFUSED = "refused"
    """It was not loaded, or not granted what it asked."""
    TRUSTED = "trusted"
    UNTRUSTED = "untrusted"
    EXEC = "exec"
    AUTO_ANSWERED = "auto-answered"
    BLOCKED = "blocked"
    """A hook of it stopped something."""
    CRASHED = "crashed"


class AuditLog(Protocol):
    """Keeps what plugins did, for the operator."""

    def note(self, kind: AuditKind, plugin_id: str, text: str) -> None:
        """Keep one line; it never raises and never waits. Secrets are taken out of it."""
        ...
