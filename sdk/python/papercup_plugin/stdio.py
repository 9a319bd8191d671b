"""The words of the wire `stdio`, in which the host alone asks: tools and four hooks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from papercup_plugin.errors import RefusedError
from papercup_plugin.json_values import as_object, as_text
from papercup_plugin.sep import Marks, Method, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from papercup_plugin.calls import Call
    from papercup_plugin.declared import Declared
    from papercup_plugin.functions import Functions
    from papercup_plugin.hooks import Outcome

_HOOKS = {
    "before_message": "input",
    "after_message": "message_end",
    "before_tool_call": "tool_call",
    "after_tool_call": "tool_result",
}


class StdioWire:
    """Speaks that wire format."""

    def __init__(self, declared: Declared, functions: Functions) -> None:
        self._declared = declared
        self._functions = functions

    def method(self, name: str) -> Method | None:
        """Return what answers a request of that name."""
        if name == "tools/list":
            return lambda _params, _call: {"tools": self._tools()}
        if name == "tools/call":
            return self._use_tool
        kind, _, rest = name.partition("/")
        if kind == "tools" and rest in self._declared.tools:
            return partial(self._use_tool_so, rest)
        if kind == "hooks" and rest in _HOOKS:
            return partial(self._ask_hooks, rest)
        return None

    def greeting(self) -> dict[str, Any]:
        """Return the answer to `initialize`; raises TypeError if a tool cannot be described."""
        declared = self._declared
        hooks = [name for name, point in _HOOKS.items() if point in declared.hooks]
        return {"server_version": declared.version, "tools": self._tools(), "hooks": hooks}

    def marks(self, method: str, params: Mapping[str, Any]) -> Marks:
        """Return what marks a request."""
        arguments = as_object(params.get("arguments")) or {}
        about = as_object(arguments.get("_meta")) or params
        event = _HOOKS.get(method.removeprefix("hooks/"))
        return Marks(event=event, session_id=as_text(about.get("session_id")))

    def _tools(self) -> list[dict[str, Any]]:
        told: list[dict[str, Any]] = []
        for tool in self._declared.tools.values():
            said = tool.registration()
            schema = said["parameters"]
            told.append(
                {"name": tool.name, "description": said["description"], "input_schema": schema}
            )
        return told

    def _use_tool(self, params: Mapping[str, Any], call: Call) -> Any:
        return self._use_tool_so(text(params, "name"), params.get("arguments") or {}, call)

    def _use_tool_so(self, name: str, arguments: Any, call: Call) -> Any:
        result = self._functions.use_tool(name, arguments, call)
        if result.is_error:
            raise RefusedError(result.content)
        return result.content

    def _ask_hooks(self, name: str, params: Mapping[str, Any], call: Call) -> Any:
        outcome = self._functions.ask_hooks(_HOOKS[name], _event(name, params), call)
        return _written(name, outcome)


def _event(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a hook is about, in the words of the other wire."""
    event = dict(params)
    if "tool_name" in event:
        event["tool"] = event["tool_name"]
    if name == "after_message":
        event["role"] = "assistant"
    if name == "after_tool_call":
        error = event.pop("error", None)
        result = event.pop("result", None)
        event |= {"content": result if error is None else error, "is_error": error is not None}
    return event


def _written(name: str, outcome: Outcome) -> dict[str, Any]:
    if outcome.action == "block":
        reason = {} if outcome.reason is None else {"reason": outcome.reason}
        return {"abort": True, "decision": "block", **reason}
    patch = dict(outcome.patch)
    if name == "after_tool_call" and "content" in patch:
        key = "error" if patch.pop("is_error", False) else "result"
        patch[key] = patch.pop("content")
    return {"abort": False, "override": patch} if patch else {"abort": False}
