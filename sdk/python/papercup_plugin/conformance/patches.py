"""What plugins may change at each hook, and what is wrong with what they want there. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from papercup_plugin.conformance.common_frames import ANYTHING, FLAG, MEMBERS, TEXT, TEXTS
from papercup_plugin.conformance.findings import Finding, fail, warn
from papercup_plugin.conformance.kinds import Kind, ListOf, Object, complaints_about
from papercup_plugin.json_values import as_object

SEP: Mapping[str, Mapping[str, Kind]] = {
    "tool_call": {"arguments": MEMBERS},
    "user_bash": {"argv": TEXTS, "command": TEXT},
    "tool_result": {"content": TEXT, "is_error": FLAG},
    "input": {"text": TEXT},
    "before_agent_start": {"prompt": TEXT, "system_prompt": TEXT},
    "context": {"messages": ListOf(MEMBERS)},
    "before_provider_request": {"payload": MEMBERS},
    "message_end": {"text": TEXT},
    "session_before_compact": {"custom_instructions": TEXT},
    "session_before_tree": {},
}
STDIO: Mapping[str, Mapping[str, Kind]] = {
    "before_message": {"text": TEXT},
    "after_message": {"text": TEXT},
    "before_tool_call": {"arguments": MEMBERS},
    "after_tool_call": {"result": ANYTHING, "error": ANYTHING},
}
"""By hook; what else is changed has no effect."""

_BEFORE_TOOLS = {"tool_call", "before_tool_call"}
_NO_REASON = "say why: models and people read that, and nothing else"


def findings_of_outcome(hook: str, result: Any) -> Iterator[Finding]:
    """Yield what of an answer to a hook has no effect, or is of no use, though its form is right.

    Args:
        hook: What was asked, of either dialect.
        result: What was answered.
    """
    outcome = as_object(result) or {}
    if hook in SEP:
        is_block, patch = outcome.get("action") == "block", as_object(outcome.get("patch"))
    else:
        is_block = outcome.get("abort") is True or outcome.get("decision") == "block"
        patch = as_object(outcome.get("override"))
    if is_block and hook.startswith("after_"):
        yield fail(f"it forbids at `{hook}`, where it has happened already", "forbid it before")
    elif is_block and not outcome.get("reason"):
        yield warn(f"it forbids at `{hook}` without a reason", _NO_REASON)
    elif patch:
        yield from _findings_of_patch(hook, patch)


def _findings_of_patch(hook: str, patch: dict[str, Any]) -> Iterator[Finding]:
    may_change = {**SEP, **STDIO}.get(hook, {})
    names = ", ".join(f"`{name}`" for name in may_change) or "nothing"
    for complaint in complaints_about(Object(optional=may_change), patch):
        if complaint.is_unknown:
            what = f"its change of `{complaint.where}` at `{hook}` has no effect"
            yield warn(what, f"there it may change {names}")
        else:
            what = f"in its change at `{hook}`, {complaint}"
            yield fail(what, "hosts take all of it for no answer")
    if hook in _BEFORE_TOOLS and "arguments" in patch:
        what = f"it changes at `{hook}` the arguments of a tool that is not its own"
        yield warn(what, "change those of its own tools, or forbid it: else it has no effect")
