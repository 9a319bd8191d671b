"""The lines that `claude` writes and reads in stream-json, to and from data. Pure.

A line of the model's answer holds one block of it: one text, one thought or one use of a tool.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, cast

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
from extensions.claude.values import (
    amount,
    amount_or_none,
    count,
    count_or_none,
    mapping,
    name,
    names,
    read_json,
    text,
)

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
    "Picture",
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

_ODD = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
_UNREACHED = frozenset({"failed", "needs-auth"})
"""How an MCP server stands whose tools cannot be used."""


class Picture(Protocol):
    """An image that is shown to the model."""

    @property
    def media_type(self) -> str:
        """Such as `image/png`."""
        ...

    @property
    def content(self) -> bytes:
        """The file itself."""
        ...


def parse_line(line: bytes) -> Event:
    """Return what a line of `claude`'s output tells; never raises.

    What a tool started can print there, too: what gets through is of the kind that it should be,
    can be stored, and is no larger than anything that `claude` tells.
    """
    try:
        message = read_json(line)
    except (ValueError, RecursionError) as error:
        return BadLine(f"not JSON: {error}")
    if not isinstance(message, dict):
        return BadLine("not a JSON object")
    try:
        return _event(cast("Json", message))
    except _ODD as error:
        return BadLine(f"{_kind(cast('Json', message))}: {error!r}")


def user_message(text: str, *, uuid: str, images: Sequence[Picture] = ()) -> bytes:
    """Return the line that says `text`, and shows `images` after it.

    Its way is told as `MessageMoved` with this `uuid`.
    """
    content: str | list[Json] = text
    if images:
        content = [{"type": "text", "text": text}, *map(_image, images)]
    return _line(
        {
            "type": "user",
            "message": {"role": "user", "content": content},
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


def _image(picture: Picture) -> Json:
    data = b64encode(picture.content).decode()
    source = {"type": "base64", "media_type": picture.media_type, "data": data}
    return {"type": "image", "source": source}


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
            return TextDelta(text(delta["text"]))
        case "thinking_delta":
            return ThinkingDelta(text(delta["thinking"]))
        case _:
            return Other(f"stream_event/{event['type']}")


def _answer(message: Json) -> Event:
    if message.get("is_api_error_message"):
        # The command's own words about a failure, which the end of the turn tells again.
        return Other("assistant/api_error")
    for block in message["message"]["content"]:
        match block["type"]:
            case "text":
                return AssistantMessage(text(block["text"]))
            case "tool_use":
                return ToolCalled(name(block["id"]), name(block["name"]), mapping(block["input"]))
            case kind:
                return Other(f"assistant/{kind}")
    return Other("assistant")


def _returned(message: Json) -> Event:
    content = message["message"]["content"]
    if isinstance(content, str):
        return Other("user")
    for block in content:
        if block["type"] == "tool_result":
            return ToolReturned(name(block["tool_use_id"]), bool(block.get("is_error")))
    return Other("user")


def _system(message: Json) -> Event:
    match message.get("subtype"):
        case "init":
            servers = message.get("mcp_servers", ())
            return TurnBegan(
                claude_session_id=name(message["session_id"]),
                model=name(message["model"]),
                tools=names(message["tools"]),
                failed_servers=tuple(
                    name(server["name"]) for server in servers if server["status"] in _UNREACHED
                ),
            )
        case "api_retry":
            return ApiRetried(
                attempt=count(message["attempt"]),
                max_attempts=count(message["max_retries"]),
                delay_seconds=amount(message["retry_delay_ms"]) / 1000,
                status=count_or_none(message.get("error_status")),
                reason=str(message.get("error")),
            )
        case "permission_denied":
            return ActionRefused(name(message["tool_name"]), name(message["tool_use_id"]))
        case "status" if message.get("status") == "compacting":
            return Compacting()
        case _:
            return Other(_kind(message))


def _ended(message: Json) -> TurnEnded:
    denials = message.get("permission_denials", ())
    return TurnEnded(
        text=text(message.get("result") or ""),
        is_error=bool(message["is_error"]),
        subtype=name(message["subtype"]),
        terminal_reason=name(message.get("terminal_reason") or ""),
        api_error_status=count_or_none(message.get("api_error_status")),
        turns=count(message.get("num_turns", 0)),
        cost_usd=amount(message.get("total_cost_usd", 0)),
        turn_cost_usd=_cost_of_turn(message.get("model_usage_since_last_result")),
        usage=read_usage(message.get("usage", {})),
        refused_actions=tuple(name(denial["tool_name"]) for denial in denials),
        queued_turns=count(message.get("queued_turn_count", 0)),
        errors=tuple(str(error) for error in message.get("errors", ())),
        claude_session_id=name(message["session_id"]),
        duration_seconds=amount(message.get("duration_ms", 0)) / 1000,
    )


def _cost_of_turn(usage_by_model: Mapping[str, Json] | None) -> float | None:
    if usage_by_model is None:
        return None
    return sum(amount(usage["costUSD"]) for usage in usage_by_model.values())


def _control_answered(message: Json) -> ControlAnswered:
    response = message["response"]
    error = response.get("error", "refused") if response["subtype"] != "success" else None
    return ControlAnswered(name(response["request_id"]), error, response.get("response") or {})


def _moved(message: Json) -> MessageMoved:
    return MessageMoved(name(message["command_uuid"]), MessageState(message["state"]))


def _limit(message: Json) -> LimitReported:
    info = message["rate_limit_info"]
    return LimitReported(
        is_reached=info.get("status") == "rejected",
        resets_at=amount_or_none(info.get("resetsAt")),
    )


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
