"""What a hook wants to become of what it was asked about. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from papercup_plugin.json_values import as_text
from papercup_plugin.records import Record


class Outcome(Record):
    """What a hook wants."""

    action: Literal["continue", "block", "modify"] = "continue"
    reason: str | None = None
    patch: Mapping[str, Any] = {}


HOOKS = (
    *("tool_call", "user_bash", "tool_result", "input", "before_agent_start", "context"),
    *("before_provider_request", "message_end", "session_before_compact", "session_before_tree"),
)
"""Where plugins are asked: as `shapes.HookName` has it for type checkers."""

_REFUSING = ("block", "cancel")


def block(reason: str | None = None) -> Outcome:
    """Return that it is forbidden, and why: the model and people are told so."""
    return Outcome("block", reason)


def modify(patch: Mapping[str, Any] | None = None, /, **members: Any) -> Outcome:
    """Return that these members of the event shall be otherwise."""
    return Outcome("modify", patch={**(patch or {}), **members})


def proceed() -> Outcome:
    """Return that it may go on as it is."""
    return Outcome()


def read_outcome(returned: Any) -> Outcome:
    """Return what a hook's result stands for.

    Raises:
        TypeError: If it stands for nothing.
    """
    if returned is None:
        return Outcome()
    if isinstance(returned, Outcome):
        return returned
    if not isinstance(returned, Mapping):
        raise TypeError(f"a hook returns nothing, an outcome or a mapping, not {returned!r}")
    members = dict(cast("Mapping[str, Any]", returned))
    action, reason = members.pop("action", None), as_text(members.get("reason"))
    for name in _REFUSING:
        # Whoever means to forbid it must not be taken for one who changes it.
        if not isinstance(members.get(name, False), bool):
            raise TypeError(f"`{name}` of a hook is True or False, not {members[name]!r}")
    if action == "block" or any(members.get(name) is True for name in _REFUSING):
        return Outcome("block", reason)
    if action not in {None, "continue", "modify", "transform"}:
        raise TypeError(f"a hook knows no action {action!r}")
    if action == "continue" or any(members.get(name) is False for name in _REFUSING):
        return Outcome()
    patch = members["patch"] if action == "modify" and "patch" in members else members
    return Outcome("modify", patch=patch) if patch else Outcome()


def merged(event: Mapping[str, Any], outcome: Outcome) -> dict[str, Any]:
    """Return the event as the next hook sees it."""
    return {**event, **outcome.patch}
