"""Carries out the calls of tools."""

import asyncio
import itertools
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from extensions.hooks import Blocked, Changed
from extensions.server.arguments import complaint
from extensions.server.hook_values import ToolUse, refusal_of_tool
from extensions.server.tool_hooks import Hooks, ToolHooks
from extensions.tools import Tool, ToolAnswer, ToolCall, ToolRegistry

# Claude gives a call up after this long, too.
CALL_SECONDS = 600.0

_FAILED = "This did not work: an error inside Papercup, which is in its log. Trying again may help."
_STOPPING = "Papercup is being stopped, so this was not finished. Try again in a minute."

logger = logging.getLogger(__name__)


class ToolCalls:
    """Answers calls; whatever happens, the model gets an answer that it can act on."""

    def __init__(
        self,
        registry: ToolRegistry,
        hooks: Hooks | None = None,
        *,
        call_seconds: float = CALL_SECONDS,
    ) -> None:
        self._registry = registry
        self._hooks = ToolHooks(hooks or Hooks())
        self._numbers = itertools.count(1)
        self._call_seconds = call_seconds
        self._running: set[asyncio.Timeout] = set()
        self._stopping = False

    async def answer(self, name: str, call: ToolCall) -> ToolAnswer:
        """Return what the tool of that name gives back."""
        tool = self._registry.find(call.caller, name)
        if tool is None:
            return ToolAnswer(f"There is no tool named {name[:100]!r}.", is_error=True)
        try:
            wrong = _complaint(tool, call.arguments)
            if wrong is not None:
                return ToolAnswer(wrong, is_error=True)
            return await self._run(tool, call)
        except Exception:
            logger.exception("tool %s failed for %s", name, call.caller)
            return ToolAnswer(_FAILED, is_error=True)

    def stop(self) -> None:
        """End the calls that are running, and take no more: each answers that Papercup stops."""
        self._stopping = True
        now = asyncio.get_running_loop().time()
        for deadline in self._running:
            deadline.reschedule(now)

    async def _run(self, tool: Tool, call: ToolCall) -> ToolAnswer:
        if self._stopping:
            return ToolAnswer(_STOPPING, is_error=True)
        deadline = asyncio.timeout(self._call_seconds)
        try:
            async with deadline:
                self._running.add(deadline)
                try:
                    return await self._used(tool, call)
                finally:
                    self._running.discard(deadline)
        except TimeoutError:
            if not deadline.expired():
                raise
        if self._stopping:
            return ToolAnswer(_STOPPING, is_error=True)
        logger.warning("tool %s took too long for %s", tool.name, call.caller)
        return ToolAnswer(f"{tool.name} gave no answer in time.", is_error=True)

    async def _used(self, tool: Tool, call: ToolCall) -> ToolAnswer:
        """Have the tool used, unless plugins forbid it."""
        if not self._hooks.are_wanted:
            return await tool.handler(call)
        call_id = call.tool_use_id or f"papercup-{next(self._numbers)}"
        use = await self._hooks.use_of(call.caller, tool.name, call_id, call.arguments)
        ruling = await self._hooks.before(use)
        if isinstance(ruling, Blocked):
            return ToolAnswer(refusal_of_tool(tool.name, ruling), is_error=True)
        if isinstance(ruling, Changed):
            call = _with_arguments(call, ruling)
        return await self._carried_out(tool, call, use)

    async def _carried_out(self, tool: Tool, call: ToolCall, use: ToolUse) -> ToolAnswer:
        clock = asyncio.get_running_loop().time
        began_at = clock()
        try:
            wrong = _complaint(tool, call.arguments)
            answer = await tool.handler(call) if wrong is None else ToolAnswer(wrong, is_error=True)
            return await self._hooks.after(use, answer, seconds=clock() - began_at)
        except BaseException:
            self._hooks.over(use, is_error=True, seconds=clock() - began_at)
            raise


def _complaint(tool: Tool, arguments: Mapping[str, Any]) -> str | None:
    return None if tool.checks_arguments else complaint(tool.name, tool.input_schema, arguments)


def _with_arguments(call: ToolCall, change: Changed) -> ToolCall:
    arguments = change.value.get("arguments")
    return replace(call, arguments=arguments) if isinstance(arguments, Mapping) else call
