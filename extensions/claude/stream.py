"""The lines that `claude` writes and reads in stream-json, to and from data. Pure.

A line of the model's answer holds one block of it: one text, one thought or one use of a tool.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from extensions.claude.events import (
    ActionRefused,
    ApiRetried,
    AssistantMessage,
    BadLine,
    Compacting,
    ControlAnswered,
    Event,
    LimitReported,
    MessageMoved,
    MessageState,
    Other,
    TextDelta,
    ThinkingDelta,
    ToolCalled,
    ToolReturned,
    TurnBegan,
    TurnEnded,
)
from extensions.claude.usage import read_usage

__all__ = [
    "ActionRefused",
    "ApiRetried",
    "AssistantMessage",
    "BadLine",
    "Compacting",
    "ControlAnswered",
    "Event",
    "LimitReported",
    "MessageMoved",
    "MessageState",
    "Other",
    "TextDelta",
    "ThinkingDelta",
    "ToolCalled",
    "ToolReturned",
    "TurnBegan",
    "TurnEnded",
    "initialize",
    "interrupt",
    "parse_line",
    "user_message",
]

Json = Mapping[str, Any]


def parse_line(line: bytes) -> Event:
    """Return what a line of `claude`'s output tells; never raises."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        return BadLine(f"not JSON: {error}")
    if not isinstance(message, dict):
        return BadLine("not a JSON object")
    try:
        return _event(cast("Json", message))
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        return BadLine(f"{_kind(cast('Json', message))}: {error!r}")


def user_message(text: str, *, uuid: str) -> bytes:
    """Return the line that says `text`; its way is told as `MessageMoved` with this `uuid`."""
    return _line(
        {
            "type": "user",
            "message": {"role": "user", "content": text},
            "uuid": uuid,
            # Else `@/etc/passwd` in it would be read, and `/clear` carried out.
            "client_composed": True,
        }
    )


def initialize(request_id: str) -> bytes:
    """Return the line whose answer tells that `claude` is ready."""
    return _control(request_id, {"subtype": "initialize", "hooks": None})


def interrupt(request_id: str) -> bytes:
    """Return the line that stops the running turn."""
    return _control(request_id, {"subtype": "interrupt"})


def _control(request_id: str, request: Json) -> bytes:
    return _line({"type": "control_request", "request_id": request_id, "request": request})


def _line(message: Json) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _kind(message: Json) -> str:
    subtype = message.get("subtype")
    kind = str(message.get("type"))
    return f"{kind}/{subtype}" if subtype else kind


def _event(message: Json) -> Event:
    if message.get("parent_tool_use_id"):
        # A helper of the model speaks, not the model itself.
        return Other(f"{_kind(message)} of a helper")
    reader = _READERS.get(str(message.get("type")))
    return Other(_kind(message)) if reader is None else reader(message)


def _delta(message: Json) -> Event:
    event = message["event"]
    delta = event.get("delta", {})
    match delta.get("type"):
        case "text_delta":
            return TextDelta(_text(delta["text"]))
        case "thinking_delta":
            return ThinkingDelta(_text(delta["thinking"]))
        case _:
            return Other(f"stream_event/{event['type']}")


def _answer(message: Json) -> Event:
    if message.get("is_api_error_message"):
        # The command's own words about a failure, which the end of the turn tells again.
        return Other("assistant/api_error")
    for block in message["message"]["content"]:
        match block["type"]:
            case "text":
                return AssistantMessage(_text(block["text"]))
            case "tool_use":
                return ToolCalled(block["id"], block["name"], block["input"])
            case kind:
                return Other(f"assistant/{kind}")
    return Other("assistant")


def _returned(message: Json) -> Event:
    content = message["message"]["content"]
    if isinstance(content, str):
        return Other("user")
    for block in content:
        if block["type"] == "tool_result":
            return ToolReturned(block["tool_use_id"], bool(block.get("is_error")))
    return Other("user")


def _system(message: Json) -> Event:
    match message.get("subtype"):
        case "init":
            servers = message.get("mcp_servers", ())
            return TurnBegan(
                claude_session_id=message["session_id"],
                model=message["model"],
                tools=tuple(message["tools"]),
                failed_servers=tuple(s["name"] for s in servers if s["status"] == "failed"),
            )
        case "api_retry":
            return ApiRetried(
                attempt=int(message["attempt"]),
                max_attempts=int(message["max_retries"]),
                delay_seconds=float(message["retry_delay_ms"]) / 1000,
                status=message.get("error_status"),
                reason=str(message.get("error")),
            )
        case "permission_denied":
            return ActionRefused(message["tool_name"], message["tool_use_id"])
        case "status" if message.get("status") == "compacting":
            return Compacting()
        case _:
            return Other(_kind(message))


def _ended(message: Json) -> TurnEnded:
    denials = message.get("permission_denials", ())
    return TurnEnded(
        text=_text(message.get("result") or ""),
        is_error=bool(message["is_error"]),
        subtype=message["subtype"],
        terminal_reason=message.get("terminal_reason") or "",
        api_error_status=message.get("api_error_status"),
        turns=int(message.get("num_turns", 0)),
        cost_usd=float(message.get("total_cost_usd", 0)),
        usage=read_usage(message.get("usage", {})),
        refused_actions=tuple(denial["tool_name"] for denial in denials),
        queued_turns=int(message.get("queued_turn_count", 0)),
        errors=tuple(str(error) for error in message.get("errors", ())),
        claude_session_id=message["session_id"],
        duration_seconds=float(message.get("duration_ms", 0)) / 1000,
    )


def _control_answered(message: Json) -> ControlAnswered:
    response = message["response"]
    error = response.get("error", "refused") if response["subtype"] != "success" else None
    return ControlAnswered(response["request_id"], error, response.get("response") or {})


def _moved(message: Json) -> MessageMoved:
    return MessageMoved(message["command_uuid"], MessageState(message["state"]))


def _limit(message: Json) -> LimitReported:
    info = message["rate_limit_info"]
    resets_at = info.get("resetsAt")
    return LimitReported(
        is_reached=info.get("status") == "rejected",
        resets_at=None if resets_at is None else float(resets_at),
    )


def _text(value: str) -> str:
    """Return `value` with each lone half of a surrogate pair replaced: UTF-8 has no such thing."""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


_READERS: Mapping[str, Callable[[Json], Event]] = {
    "stream_event": _delta,
    "assistant": _answer,
    "user": _returned,
    "system": _system,
    "result": _ended,
    "control_response": _control_answered,
    "command_lifecycle": _moved,
    "rate_limit_event": _limit,
}
