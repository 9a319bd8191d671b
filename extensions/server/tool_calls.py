"""Carries out the calls of tools."""

import asyncio
import logging

from extensions.server.arguments import complaint
from extensions.tools import Tool, ToolAnswer, ToolCall, ToolRegistry

# Claude gives a call up after this long, too.
CALL_SECONDS = 600.0

_FAILED = "This did not work: an error inside Papercup, which is in its log. Trying again may help."
_STOPPING = "Papercup is being stopped, so this was not finished. Try again in a minute."

logger = logging.getLogger(__name__)


class ToolCalls:
    """Answers calls; whatever happens, the model gets an answer that it can act on."""

    def __init__(self, registry: ToolRegistry, *, call_seconds: float = CALL_SECONDS) -> None:
        self._registry = registry
        self._call_seconds = call_seconds
        self._running: set[asyncio.Timeout] = set()
        self._stopping = False

    async def answer(self, name: str, call: ToolCall) -> ToolAnswer:
        """Return what the tool of that name gives back."""
        tool = self._registry.find(call.caller, name)
        if tool is None:
            return ToolAnswer(f"There is no tool named {name[:100]!r}.", is_error=True)
        try:
            wrong = complaint(name, tool.input_schema, call.arguments)
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
                    return await tool.handler(call)
                finally:
                    self._running.discard(deadline)
        except TimeoutError:
            if not deadline.expired():
                raise
        if self._stopping:
            return ToolAnswer(_STOPPING, is_error=True)
        logger.warning("tool %s took too long for %s", tool.name, call.caller)
        return ToolAnswer(f"{tool.name} gave no answer in time.", is_error=True)
