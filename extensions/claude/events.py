"""What a `claude` process tells, as data. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from extensions.claude.usage import Usage


@dataclass(frozen=True, slots=True)
class ControlAnswered:
    """A control request was answered."""

    request_id: str
    error: str | None
    """Why it failed; `None` if it did not."""
    response: Mapping[str, Any]
    """What came with the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBegan:
    """A turn began; said again before each turn."""

    claude_session_id: str
    model: str
    tools: tuple[str, ...]
    failed_servers: tuple[str, ...]
    """The names of the MCP servers that could not be reached."""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of what the model says; the whole follows as an `AssistantMessage`."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """The next piece of what the model thinks."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """One whole text of the model; a turn has several when tools are used between them."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """The model calls a tool."""

    tool_use_id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolReturned:
    """A tool has given back its result; several calls may return in any order."""

    tool_use_id: str
    is_error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRetried:
    """A request to the API failed, and is made again."""

    attempt: int
    max_attempts: int
    delay_seconds: float
    status: int | None
    """The HTTP status; `None` if there was no answer."""
    reason: str
    """Such as `overloaded`, `rate_limit`, `authentication_failed`, `unknown`."""


@dataclass(frozen=True, slots=True)
class ActionRefused:
    """A tool was not allowed to do what it was asked."""

    tool_name: str
    tool_use_id: str


class MessageState(StrEnum):
    """How far a message that was said has come."""

    QUEUED = "queued"
    STARTED = "started"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class MessageMoved:
    """A message that was said has come further."""

    uuid: str
    state: MessageState


@dataclass(frozen=True, slots=True)
class Compacting:
    """The conversation is being shortened, as it has grown too long; that takes a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitReported:
    """How the account's usage limit stands; said only with a login, not with an API key."""

    is_reached: bool
    resets_at: float | None
    """Unix time, if it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """A turn is over, well or not."""

    text: str
    """The model's last text; or, when `is_error`, what went wrong."""
    is_error: bool
    subtype: str
    """`success` also for most errors: `is_error` is what counts."""
    terminal_reason: str
    """Such as `completed`, `api_error`, `prompt_too_long`, `max_turns`, `aborted_streaming`."""
    api_error_status: int | None
    turns: int
    """Steps of this turn, as the command counts them: roughly the answers of the model."""
    cost_usd: float
    """What the process has cost in all, with the earlier turns; never to be added up.

    It goes on in a process that resumes the session if the one before ended in good order; else
    with what it was when one last did.
    """
    usage: Usage
    """Of this turn alone."""
    refused_actions: tuple[str, ...]
    """The names of the tools that were not allowed to do what they were asked, once each time."""
    queued_turns: int
    """Turns that are still to come without anything more being said."""
    errors: tuple[str, ...]
    claude_session_id: str
    duration_seconds: float
    turn_cost_usd: float | None = None
    """What this turn alone has cost; `None` if the command does not say."""


@dataclass(frozen=True, slots=True)
class Other:
    """Something that nothing depends on."""

    kind: str


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that could not be understood."""

    reason: str


Event = (
    ControlAnswered
    | TurnBegan
    | TextDelta
    | ThinkingDelta
    | AssistantMessage
    | ToolCalled
    | ToolReturned
    | ApiRetried
    | ActionRefused
    | MessageMoved
    | Compacting
    | LimitReported
    | TurnEnded
    | Other
    | BadLine
)
