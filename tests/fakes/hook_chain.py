"""Plugins, as those who ask and tell them see them: they rule as a test says."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from extensions.callers import Caller, CallerKind
from extensions.hooks import (
    SPEAKER_AGENT,
    Blocked,
    Changed,
    HookPoint,
    Occasion,
    Pass,
    Payload,
    Ruling,
)
from extensions.server.tool_hooks import Hooks

Rule = Callable[[Payload], Ruling | Awaitable[Ruling]]

PERSON = 77


class FakeChain:
    """Implements `HookChain` and `Observers`; asked and told everything, it keeps it."""

    def __init__(
        self,
        rules: Mapping[HookPoint, Rule] | None = None,
        *,
        observed: frozenset[str] = frozenset(),
    ) -> None:
        self.rules = dict(rules or {})
        self.observed = observed
        self.fired: list[tuple[HookPoint, dict[str, Any]]] = []
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.occasions: list[Occasion] = []
        self.cancelled: list[HookPoint] = []

    @property
    def hooks(self) -> Hooks:
        return Hooks(chain=self, observers=self, occasion_of=occasion_of)

    def is_hooked(self, point: HookPoint) -> bool:
        return point in self.rules

    async def fire(self, point: HookPoint, value: Payload, occasion: Occasion) -> Ruling:
        self.fired.append((point, dict(value)))
        self.occasions.append(occasion)
        try:
            ruling = self.rules[point](value)
            return await ruling if inspect.isawaitable(ruling) else ruling
        except BaseException:
            self.cancelled.append(point)
            raise

    def is_observed(self, event: str) -> bool:
        return event in self.observed

    def tell(self, event: str, payload: Payload, occasion: Occasion) -> None:
        self.told.append((event, dict(payload)))
        self.occasions.append(occasion)

    def values_at(self, point: HookPoint) -> list[dict[str, Any]]:
        """Return what was asked at a point."""
        return [value for at, value in self.fired if at is point]


async def occasion_of(caller: Caller) -> Occasion:
    """Return the occasion that belongs to a caller of these tests."""
    agent = caller.subject if caller.kind is CallerKind.JOB else SPEAKER_AGENT
    return Occasion(agent_id=agent, session_id="5e55", person_id=PERSON)


def passing(_value: Payload) -> Ruling:
    """Let it pass."""
    return Pass()


def blocking(reason: str, by: str = "gate") -> Rule:
    """Return a rule that forbids everything."""
    return lambda _value: Blocked(reason, by)


def patching(by: str = "editor", **patch: Any) -> Rule:
    """Return a rule that changes these keys."""
    return lambda value: Changed({**value, **patch}, (by,))
