"""Asks and tells the plugins about the use of tools, whoever's tools they are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from extensions.callers import Caller
from extensions.hooks import (
    Blocked,
    Changed,
    HookChain,
    HookPoint,
    NoPlugins,
    Observers,
    OccasionOf,
    Pass,
    Ruling,
    nobodys_occasion,
)
from extensions.server.hook_values import (
    COMPACTED,
    TOOL_BEGINS,
    TOOL_ENDS,
    ToolUse,
    asked,
    began,
    ended,
    gave_back,
    refusal_of_result,
    revised,
)
from extensions.tools import ToolAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """Those who have a say in what spawned Claudes do, or watch it."""

    chain: HookChain = field(default_factory=NoPlugins)
    observers: Observers = field(default_factory=NoPlugins)
    occasion_of: OccasionOf = nobodys_occasion
    """Says on whose behalf a Claude works."""

    @property
    def reach_into_claude(self) -> bool:
        """Whether plugins have to do at present with what a Claude does by itself.

        Only then need its own hooks ask the bot; each use of a tool waits for them.
        """
        return ToolHooks(self).are_wanted or (
            self.chain.is_hooked(HookPoint.SESSION_BEFORE_COMPACT)
            or self.observers.is_observed(COMPACTED)
        )


class ToolHooks:
    """What plugins have to do with the use of a tool, from its beginning to its end."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks

    @property
    def are_wanted(self) -> bool:
        """Whether any plugin has anything to do with tools at present."""
        chain, observers = self._hooks.chain, self._hooks.observers
        return (
            chain.is_hooked(HookPoint.TOOL_CALL)
            or chain.is_hooked(HookPoint.TOOL_RESULT)
            or observers.is_observed(TOOL_BEGINS)
            or observers.is_observed(TOOL_ENDS)
        )

    async def use_of(
        self, caller: Caller, tool: str, call_id: str, arguments: Mapping[str, Any]
    ) -> ToolUse:
        """Return a use of a tool by `caller`, with those on whose behalf it is used."""
        occasion = await self._hooks.occasion_of(caller)
        return ToolUse(tool=tool, call_id=call_id, arguments=arguments, occasion=occasion)

    async def before(self, use: ToolUse) -> Ruling:
        """Tell that a tool is about to be used, and return whether it may be.

        If it may not, that was its end; else call `after` or `over` in the end.
        """
        if self._hooks.observers.is_observed(TOOL_BEGINS):
            self._hooks.observers.tell(TOOL_BEGINS, began(use), use.occasion)
        if not self._hooks.chain.is_hooked(HookPoint.TOOL_CALL):
            return Pass()
        may_be_used = False
        try:
            ruling = await self._hooks.chain.fire(HookPoint.TOOL_CALL, asked(use), use.occasion)
            may_be_used = not isinstance(ruling, Blocked)
        finally:
            # Whoever wanted to use it may also have stopped waiting.
            if not may_be_used:
                self.over(use, is_error=True, seconds=0.0)
        return ruling

    async def after(self, use: ToolUse, answer: ToolAnswer, *, seconds: float) -> ToolAnswer:
        """Return what the model sees of what a tool has given back; that was the tool's end.

        Args:
            use: Which use of it this was.
            answer: What it gave back.
            seconds: How long it took.
        """
        if self._hooks.chain.is_hooked(HookPoint.TOOL_RESULT):
            value = gave_back(use, answer, seconds=seconds)
            ruling = await self._hooks.chain.fire(HookPoint.TOOL_RESULT, value, use.occasion)
            if isinstance(ruling, Changed):
                answer = revised(answer, ruling)
            elif isinstance(ruling, Blocked):
                answer = ToolAnswer(refusal_of_result(use.tool, ruling), is_error=True)
        self.over(use, is_error=answer.is_error, seconds=seconds)
        return answer

    def over(self, use: ToolUse, *, is_error: bool, seconds: float) -> None:
        """Tell that a tool has been used, or could not be."""
        if self._hooks.observers.is_observed(TOOL_ENDS):
            payload = ended(use, is_error=is_error, seconds=seconds)
            self._hooks.observers.tell(TOOL_ENDS, payload, use.occasion)
