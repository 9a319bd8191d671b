"""What plugins are asked and told of what a spawned Claude does, as JSON. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from extensions.hooks import Blocked, Changed, Occasion
from extensions.tools import ToolAnswer

TOOL_BEGINS = "tool_execution_start"
TOOL_ENDS = "tool_execution_end"
COMPACTED = "session_compact"
MODEL_ANSWERED = "after_provider_response"

_REASON_CHARACTERS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """One use of a tool."""

    tool: str
    """As plugins know it: Claude's own as Claude calls them, the bot's without a prefix."""
    call_id: str
    arguments: Mapping[str, Any]
    occasion: Occasion


def on_behalf(occasion: Occasion) -> dict[str, Any]:
    """Return what each value says of whose it is."""
    return {"agent_id": occasion.agent_id, "session_id": occasion.session_id}


def asked(use: ToolUse) -> dict[str, Any]:
    """Return what plugins are asked before a tool is used."""
    return {
        "tool": use.tool,
        "tool_name": use.tool,
        "arguments": dict(use.arguments),
        "call_id": use.call_id,
        **on_behalf(use.occasion),
    }


def gave_back(use: ToolUse, answer: ToolAnswer, *, seconds: float) -> dict[str, Any]:
    """Return what plugins are asked once a tool has been used."""
    return {
        **asked(use),
        "content": answer.text,
        "is_error": answer.is_error,
        "duration_ms": round(seconds * 1000),
    }


def began(use: ToolUse) -> dict[str, Any]:
    """Return what plugins are told when a tool is about to be used."""
    return {
        "tool": use.tool,
        "call_id": use.call_id,
        "arguments": dict(use.arguments),
        **on_behalf(use.occasion),
    }


def ended(use: ToolUse, *, is_error: bool, seconds: float) -> dict[str, Any]:
    """Return what plugins are told when a tool has been used, or could not be."""
    return {
        "tool": use.tool,
        "call_id": use.call_id,
        "is_error": is_error,
        "duration_ms": round(seconds * 1000),
        **on_behalf(use.occasion),
    }


def revised(answer: ToolAnswer, change: Changed) -> ToolAnswer:
    """Return the answer as plugins want it; what makes no sense stays as it was."""
    content, is_error = change.value.get("content"), change.value.get("is_error")
    return ToolAnswer(
        text=content if isinstance(content, str) else answer.text,
        is_error=is_error if isinstance(is_error, bool) else answer.is_error,
    )


def refusal_of_tool(tool: str, ruling: Blocked) -> str:
    """Return what the model is told of a tool that it may not use."""
    return f"tool `{tool}` {_by(ruling)}"


def refusal_of_result(tool: str, ruling: Blocked) -> str:
    """Return what the model sees in place of a result that it may not see."""
    return f"the result of tool `{tool}` {_by(ruling)}"


def refusal_of_request(ruling: Blocked) -> str:
    """Return what is said of a request that may not go to the model."""
    return f"the request to the model was {_by(ruling)}"


def refusal_of_compaction(ruling: Blocked) -> str:
    """Return what Claude is told when it may not sum its session up."""
    return f"compaction {_by(ruling)}"


def messages_of(change: Changed) -> list[dict[str, Any]] | None:
    """Return the messages that plugins want to go to the model; `None` if these are none."""
    match change.value.get("messages"):
        case [*messages] if messages and all(isinstance(message, dict) for message in messages):
            return messages
        case _:
            return None


def _by(ruling: Blocked) -> str:
    reason = " ".join(ruling.reason.split())[:_REASON_CHARACTERS]
    return f"blocked by plugin `{ruling.by}`: {reason or 'it gave no reason'}"
