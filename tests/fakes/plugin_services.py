"""What the bot does for plugins, taken down instead of done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extensions.hooks import Occasion
from extensions.plugins.services import (
    AuditKind,
    Delivery,
    Executed,
    ExecutionError,
    SessionActionError,
    UiAnswer,
    UiRequest,
)


@dataclass
class FakeUserInterface:
    """Implements `UserInterface`: people answer the same whatever they are asked."""

    answer: UiAnswer = field(default_factory=UiAnswer)
    asked: list[tuple[str, UiRequest, Occasion]] = field(default_factory=list)
    limits_seconds: list[float | None] = field(default_factory=list)
    """Within what time each was to be answered."""

    async def ask(
        self,
        plugin_id: str,
        request: UiRequest,
        occasion: Occasion,
        *,
        within_seconds: float | None = None,
    ) -> UiAnswer:
        self.asked.append((plugin_id, request, occasion))
        self.limits_seconds.append(within_seconds)
        return self.answer


@dataclass
class FakeSessions:
    """Implements `Sessions`."""

    done: list[tuple[object, ...]] = field(default_factory=list)
    refusal: str | None = None
    """Why nothing is done."""
    standing: Mapping[str, Any] = field(default_factory=lambda: {"name": "chat"})

    async def send_message(
        self, plugin_id: str, text: str, *, role: str, occasion: Occasion
    ) -> None:
        self._do("send_message", plugin_id, text, role, occasion)

    async def send_user_message(
        self, plugin_id: str, text: str, *, deliver_as: Delivery, occasion: Occasion
    ) -> None:
        self._do("send_user_message", plugin_id, text, deliver_as, occasion)

    async def append_entry(
        self, plugin_id: str, entry: Mapping[str, Any], occasion: Occasion
    ) -> None:
        self._do("append_entry", plugin_id, entry, occasion)

    async def set_model(
        self,
        plugin_id: str,
        model: str,
        *,
        provider: str | None,
        thinking: str | None,
        occasion: Occasion,
    ) -> None:
        self._do("set_model", plugin_id, model, provider, thinking, occasion)

    async def state(self, plugin_id: str, occasion: Occasion) -> Mapping[str, Any]:
        self._do("state", plugin_id, occasion)
        return self.standing

    def _do(self, *what: object) -> None:
        if self.refusal is not None:
            raise SessionActionError(self.refusal)
        self.done.append(what)


@dataclass
class FakeExecutor:
    """Implements `Executor`."""

    executed: Executed | ExecutionError = field(
        default_factory=lambda: Executed(stdout="out", stderr="err", exit_code=3)
    )
    ran: list[tuple[str, tuple[str, ...], Path | None, Occasion]] = field(default_factory=list)

    async def run(
        self, plugin_id: str, command: Sequence[str], *, cwd: Path | None, occasion: Occasion
    ) -> Executed:
        self.ran.append((plugin_id, tuple(command), cwd, occasion))
        if isinstance(self.executed, ExecutionError):
            raise self.executed
        return self.executed


@dataclass
class FakeAudit:
    """Implements `AuditLog`."""

    notes: list[tuple[AuditKind, str, str]] = field(default_factory=list)

    def note(self, kind: AuditKind, plugin_id: str, text: str) -> None:
        self.notes.append((kind, plugin_id, text))
