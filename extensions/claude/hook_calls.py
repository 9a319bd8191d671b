"""What Claude's hooks say, and how they are answered. Pure."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from extensions.claude.tool_output import text_of, with_text
from extensions.claude.values import amount_or_none, mapping, name, text

Json: TypeAlias = Mapping[str, Any]

NO_OBJECTION = b""
"""Claude goes on as if nobody had been asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAsked:
    """A tool is about to be used; whether Claude itself will allow it is not decided yet."""

    tool: str
    call_id: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolGaveBack:
    """A tool has been used; the model has not seen yet what it gave back."""

    tool: str
    call_id: str
    arguments: Mapping[str, Any]
    response: Any
    """In the tool's own shape; of one that failed, the error as text."""
    is_error: bool
    duration_seconds: float

    @property
    def content(self) -> str:
        """What it gave back, as text."""
        return text_of(self.response)


@dataclass(frozen=True, slots=True)
class ToolsOver:
    """All tools of one answer of the model have been used, or refused."""

    call_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactAsked:
    """Claude is about to sum its session up."""

    trigger: str
    """`auto`, or `manual`."""
    instructions: str
    """What it is to heed; mostly nothing."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """Claude has summed its session up."""


HookCall: TypeAlias = ToolAsked | ToolGaveBack | ToolsOver | CompactAsked | Compacted


def read_hook(document: Any) -> HookCall:
    """Return what a hook says.

    Raises:
        ValueError: If it says nothing that is known; the text does not quote it.
    """
    said = mapping(document)
    reader = _READERS.get(str(said.get("hook_event_name")))
    if reader is None:
        raise ValueError("an unknown hook")
    try:
        return reader(said)
    except (KeyError, TypeError) as error:
        raise ValueError(f"a hook of another form: {error!r}") from error


def forbidding_tool(reason: str) -> bytes:
    """Return the answer to `ToolAsked` by which the tool is not used, and the model told why."""
    return _specific(
        "PreToolUse", {"permissionDecision": "deny", "permissionDecisionReason": reason}
    )


def replacing_content(gave: ToolGaveBack, content: str) -> bytes:
    """Return the answer to `ToolGaveBack` by which the model sees other content.

    Where Claude takes no other, as of an error or of a file that was written, it sees it besides.
    """
    if gave.is_error:
        return _specific("PostToolUseFailure", {"additionalContext": content})
    replaced = with_text(gave.response, content)
    if replaced is None:
        return _specific("PostToolUse", {"additionalContext": content})
    return _specific("PostToolUse", {"updatedToolOutput": replaced})


def forbidding_compaction(reason: str) -> bytes:
    """Return the answer to `CompactAsked` by which Claude goes on without."""
    return json.dumps({"decision": "block", "reason": reason}).encode()


def adding_instructions(instructions: str) -> bytes:
    """Return the answer to `CompactAsked` by which Claude heeds more."""
    # What begins with a brace would be read as JSON.
    plain = f"Note: {instructions}" if instructions.lstrip().startswith("{") else instructions
    return plain.encode(errors="replace")


def _specific(event: str, output: Json) -> bytes:
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, **output}}).encode()


def _asked(said: Json) -> ToolAsked:
    return ToolAsked(
        tool=name(said["tool_name"]),
        call_id=name(said["tool_use_id"]),
        arguments=mapping(said["tool_input"]),
    )


def _gave_back(said: Json) -> ToolGaveBack:
    return _result(said, said["tool_response"], is_error=False)


def _failed(said: Json) -> ToolGaveBack:
    return _result(said, text(said["error"]), is_error=True)


def _result(said: Json, response: Any, *, is_error: bool) -> ToolGaveBack:
    return ToolGaveBack(
        tool=name(said["tool_name"]),
        call_id=name(said["tool_use_id"]),
        arguments=mapping(said["tool_input"]),
        response=response,
        is_error=is_error,
        duration_seconds=(amount_or_none(said.get("duration_ms")) or 0.0) / 1000,
    )


def _over(said: Json) -> ToolsOver:
    calls = cast("list[Json]", said["tool_calls"])
    return ToolsOver(tuple(name(call["tool_use_id"]) for call in calls))


def _compact_asked(said: Json) -> CompactAsked:
    return CompactAsked(
        trigger=name(said["trigger"]), instructions=text(said.get("custom_instructions") or "")
    )


_READERS: Mapping[str, Callable[[Json], HookCall]] = {
    "PreToolUse": _asked,
    "PostToolUse": _gave_back,
    "PostToolUseFailure": _failed,
    "PostToolBatch": _over,
    "PreCompact": _compact_asked,
    "PostCompact": lambda _said: Compacted(),
}
