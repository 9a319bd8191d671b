"""The tools that a spawned Claude is offered over MCP."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from extensions.callers import Caller, CallerKind
from extensions.errors import LocalProtocolError


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool gives back to the model."""

    text: str
    is_error: bool = False
    """Whether the model is told that the call failed; the text says what it can do about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool."""

    caller: Caller
    arguments: Mapping[str, Any]
    tool_use_id: str | None = None
    """The id of the tool use in the caller's own stream, where it says so."""


ToolHandler = Callable[[ToolCall], Awaitable[ToolAnswer]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as it is offered."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    """JSON Schema of the arguments; what does not fit it is refused."""
    checks_arguments: bool = False
    """Whether the handler refuses it, rather than the server: a schema that somebody else wrote
    may take any time to look at."""
    offered_to: frozenset[CallerKind]
    read_only: bool = False
    """Whether it changes nothing, so that several calls of it may run at once."""
    handler: ToolHandler


class ToolRegistry:
    """The tools that are offered at present."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}
        self._watchers: list[Callable[[], None]] = []

    def offer(self, tool: Tool) -> None:
        """Offer `tool` from now on.

        Raises:
            LocalProtocolError: If a tool of that name is offered already.
        """
        if tool.name in self._tools:
            raise LocalProtocolError(f"a tool named {tool.name!r} is offered already")
        self._tools[tool.name] = tool
        self._changed()

    def withdraw(self, name: str) -> None:
        """Offer the tool no more; nothing happens if it was not offered."""
        if self._tools.pop(name, None) is not None:
            self._changed()

    def visible_to(self, caller: Caller) -> list[Tool]:
        """Return the tools that `caller` may call, in the order in which they were offered."""
        return [tool for tool in self._tools.values() if caller.kind in tool.offered_to]

    def find(self, caller: Caller, name: str) -> Tool | None:
        """Return the tool of that name, if `caller` may call it."""
        tool = self._tools.get(name)
        return tool if tool is not None and caller.kind in tool.offered_to else None

    def watch(self, changed: Callable[[], None]) -> None:
        """Have `changed` called after each change of what is offered."""
        self._watchers.append(changed)

    def _changed(self) -> None:
        for changed in self._watchers:
            changed()
