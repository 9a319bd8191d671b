"""Which parts of what they see plugins may change at each hook point. Pure."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from extensions.hooks import HookPoint, Payload
from extensions.plugins.json_values import as_list

_Fits: TypeAlias = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class BadPatch:
    """A patch that cannot be applied."""

    reason: str


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_list_of_objects(value: Any) -> bool:
    entries = as_list(value)
    return entries is not None and all(isinstance(each, dict) for each in entries)


def _is_command(value: Any) -> bool:
    return bool(as_list(value)) and all(isinstance(each, str) for each in value)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


_FIELDS: Mapping[HookPoint, Mapping[str, _Fits]] = {
    HookPoint.INPUT: {"text": _is_text},
    HookPoint.BEFORE_AGENT_START: {"prompt": _is_text, "system_prompt": _is_text},
    HookPoint.CONTEXT: {"messages": _is_list_of_objects},
    HookPoint.BEFORE_PROVIDER_REQUEST: {"payload": _is_object},
    HookPoint.TOOL_CALL: {"arguments": _is_object},
    HookPoint.TOOL_RESULT: {"content": _is_text, "is_error": _is_flag},
    HookPoint.MESSAGE_END: {"text": _is_text},
    HookPoint.USER_BASH: {"argv": _is_command, "command": _is_text},
    HookPoint.SESSION_BEFORE_COMPACT: {"custom_instructions": _is_text},
    HookPoint.SESSION_BEFORE_TREE: {},
}


def effective_patch(
    point: HookPoint, patch: Mapping[str, Any], value: Payload, *, is_own_tool: bool
) -> dict[str, Any] | BadPatch:
    """Return what of a patch has effect; the rest is left out.

    Args:
        point: Where it was given.
        patch: What the plugin wants otherwise.
        value: What the plugin saw.
        is_own_tool: Whether it is about a tool of that very plugin.
    """
    if point is HookPoint.TOOL_CALL and not is_own_tool:
        return {}
    fields = _FIELDS[point]
    kept = {name: value for name, value in patch.items() if name in fields}
    wrong = [name for name, value in kept.items() if not fields[name](value)]
    if wrong:
        return BadPatch(f"its patch of `{wrong[0]}` is of another kind")
    return _one_program(kept, value) if point is HookPoint.USER_BASH else kept


def _one_program(patch: Mapping[str, Any], value: Payload) -> dict[str, Any] | BadPatch:
    """Return a patch in which the words of a program and its command say the same.

    What the plugin changed counts; the words, if it changed both.
    """
    argv = patch.get("argv", value.get("argv"))
    command = patch.get("command", value.get("command"))
    if argv == value.get("argv") and command != value.get("command"):
        try:
            argv = shlex.split(command)
        except ValueError as error:
            return BadPatch(f"its patch of `command` cannot be read: {error}")
        return {"argv": argv, "command": command} if argv else BadPatch("its `command` is empty")
    return {"argv": argv, "command": shlex.join(argv)} if "argv" in patch else dict(patch)
