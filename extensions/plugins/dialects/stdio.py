"""The wire of plugins with a `plugin.toml`: tools and four hooks, asked by the host alone. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from extensions.hooks import HookPoint, Occasion, Payload
from extensions.plugins.dialects.dialect import (
    BadGreeting,
    Blocks,
    CallMark,
    Continues,
    EventParams,
    Farewell,
    Greeting,
    HookAnswer,
    Modifies,
    Order,
    Unusable,
    Welcome,
)
from extensions.plugins.dialects.reading import names_of, tools_of
from extensions.plugins.json_values import as_object, as_text
from extensions.plugins.registrations import PluginAnswer, PluginCompletion, Registrations

_HOOKS = {
    HookPoint.INPUT: "before_message",
    HookPoint.MESSAGE_END: "after_message",
    HookPoint.TOOL_CALL: "before_tool_call",
    HookPoint.TOOL_RESULT: "after_tool_call",
}
_SCHEMA_KEYS = ("input_schema", "inputSchema", "parameters")
_BEFORE = frozenset({HookPoint.INPUT, HookPoint.TOOL_CALL})
"""Where something can still be stopped."""


class StdioWire:
    """Speaks that wire format."""

    has_contexts = False
    # The page knows no ping, so not every plugin answers what it does not know.
    must_answer_pings = False
    # As the page has it: a simple plugin may answer the handshake with that number as it stands.
    first_id = 0

    def greeting(self, welcome: Welcome) -> Order:
        """Return the first request."""
        params = {
            "agent_version": welcome.host_version,
            "extension_id": welcome.manifest.id,
        }
        return Order("initialize", params)

    def greeted(self, result: Any) -> Greeting | BadGreeting:
        """Return what the answer to it says."""
        members = as_object(result)
        if members is None:
            return BadGreeting("invalid handshake payload: it is not an object")
        warnings: list[str] = []
        tools = tools_of(members.get("tools"), _SCHEMA_KEYS, warnings.append)
        hooks = names_of(members.get("hooks"), "hook", warnings.append)
        unknown = [name for name in hooks if name not in _HOOKS.values()]
        warnings += [f"unknown hook `{name}`; skipping registration" for name in unknown]
        registrations = Registrations(
            tools=tools, hooks=frozenset(hooks).intersection(_HOOKS.values())
        )
        return Greeting(registrations=registrations, warnings=tuple(warnings))

    def tool_call(self, name: str, arguments: Mapping[str, Any], _mark: CallMark) -> Order:
        """Return the request that uses a tool."""
        return Order("tools/call", {"name": name, "arguments": arguments})

    def older_tool_call(self, name: str, arguments: Mapping[str, Any]) -> Order | None:
        """Return how plugins are asked that go by the page's older text."""
        return Order(f"tools/{name}", dict(arguments))

    def tool_answer(self, result: Any) -> PluginAnswer | Unusable:
        """Return what the tool gave back: any JSON."""
        if isinstance(result, str):
            return PluginAnswer(text=result)
        return PluginAnswer(text=json.dumps(result, ensure_ascii=False))

    def command(self, _name: str, _raw: str, _mark: CallMark) -> Order | None:
        """Return that there are no commands."""
        return None

    def command_answer(self, _result: Any) -> str:
        """Return nothing."""
        return ""

    def completion(self, _name: str, _partial: str, _mark: CallMark) -> Order | None:
        """Return that there are no commands."""
        return None

    def completions(self, _result: Any) -> list[PluginCompletion]:
        """Return nothing."""
        return []

    def hook_name(self, point: HookPoint) -> str | None:
        """Return what the hook at that point is called; `None`: there is none."""
        return _HOOKS.get(point)

    def hook(self, point: HookPoint, value: Payload, mark: CallMark) -> Order:
        """Return the request that asks at a point that has a name."""
        params: dict[str, Any] = _ids(mark.occasion)
        match point:
            case HookPoint.TOOL_CALL:
                params |= {"tool_name": value["tool_name"], "arguments": value["arguments"]}
            case HookPoint.TOOL_RESULT:
                failed = value["is_error"]
                params |= {"tool_name": value["tool_name"], "duration_ms": value["duration_ms"]}
                params["result"] = None if failed else value["content"]
                params["error"] = value["content"] if failed else None
            case _:
                params |= {"text": value["text"], "source": value["source"]}
        return Order(f"hooks/{_HOOKS[point]}", params)

    def hook_answer(self, point: HookPoint, result: Any) -> HookAnswer:
        """Return what the plugin wants."""
        if result is None:
            return Continues()
        members = as_object(result)
        if members is None:
            return Unusable("it is not an object")
        decision = members.get("decision")
        # Not a set: it may be any JSON, and so what has no hash.
        if decision not in (None, "allow", "block", "transform"):
            return Unusable("its decision is none that there is")
        if members.get("abort") is True or decision == "block":
            return _blocked(point, as_text(members.get("reason")))
        return _patched(point, members, is_transformed=decision == "transform")

    def event(
        self, _name: str, _payload: Payload, _context: Mapping[str, str] | None
    ) -> EventParams | None:
        """Return that there are no events."""
        return None

    def ping(self) -> Order:
        """Return a request that every plugin answers at once."""
        return Order("tools/list", {})

    def farewell(self, reason: str) -> Farewell:
        """Return what is said before the program is ended."""
        return Farewell(order=Order("shutdown", {"reason": reason}), is_request=False)


def _ids(occasion: Occasion) -> dict[str, Any]:
    return {"agent_id": occasion.agent_id, "session_id": occasion.session_id}


def _blocked(point: HookPoint, reason: str | None) -> HookAnswer:
    if point not in _BEFORE:
        return Unusable("what has happened already cannot be stopped")
    return Blocks(reason or None)


def _patched(point: HookPoint, result: Mapping[str, Any], *, is_transformed: bool) -> HookAnswer:
    override = as_object(result.get("override") or {})
    if override is None:
        return Unusable("its override is not an object")
    patch = dict(override)
    body = result.get("transformed_body")
    if (
        is_transformed
        and isinstance(body, str)
        and point
        not in {
            HookPoint.TOOL_CALL,
            HookPoint.TOOL_RESULT,
        }
    ):
        patch["text"] = body
    if point is HookPoint.TOOL_RESULT:
        patch = _result_patch(patch)
    return Modifies(patch) if patch else Continues()


def _result_patch(override: dict[str, Any]) -> dict[str, Any]:
    """Put what a plugin says of a tool's result or error into our words."""
    patch: dict[str, Any] = {}
    for key, is_error in (("result", False), ("error", True)):
        said = override.get(key)
        if said is not None:
            text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
            patch = {"content": text, "is_error": is_error}
    return patch
