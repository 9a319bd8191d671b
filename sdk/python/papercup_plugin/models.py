"""What a provider of models is asked, and what it answers. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from papercup_plugin.json_values import named
from papercup_plugin.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Delta: TypeAlias = dict[str, Any]
"""A piece of an answer, as it comes."""


class Model(Record):
    """A model."""

    id: str
    display_name: str | None = None


class CompletionRequest(Record):
    """What a model is asked."""

    provider: str
    model: str
    messages: Sequence[Mapping[str, Any]]
    """What was said so far, in the form of the host."""
    tools: Sequence[Mapping[str, Any]] = ()
    """What the model may use, in the form of the host."""
    stream: bool = False
    """Whether pieces are wanted; without, what is yielded is put together all the same."""
    response_format: Mapping[str, Any] | None = None
    thinking: str | None = None


class ToolCall(Record):
    """A tool that a model wants to use."""

    id: str
    name: str
    arguments: Any


class Completion(Record):
    """What a model answers, if there is more to say than a text."""

    content: str = ""
    tool_calls: Sequence[ToolCall] = ()
    finish_reason: str | None = None
    """`None`: `tool_calls` if there are any, else `stop`."""
    usage: Mapping[str, int] | None = None
    """`prompt_tokens`, `completion_tokens`, `total_tokens`, `cached_tokens`."""
    reasoning_content: str | None = None
    """What the model wants back with the next request."""
    resolved_model: str | None = None


class Credentials(Record):
    """What somebody was granted who logged in."""

    api_key: str | None = None
    access_token: str | None = None
    refresh_token: str | None = None
    expires_at: int | None = None
    """Unix time, in seconds."""
    extra: Mapping[str, Any] | None = None

    def __repr__(self) -> str:
        """Return nothing of it: it must not come into a log."""
        return "Credentials(...)"


def reasoning(content: str) -> Delta:
    """Return a piece of what the model thinks."""
    return {"type": "Reasoning", "content": content}


def tool_call_start(index: int, call_id: str, name: str) -> Delta:
    """Return that the model begins to use a tool."""
    return {"type": "ToolCallStart", "index": index, "id": call_id, "name": name}


def tool_call_arguments(index: int, chunk: str) -> Delta:
    """Return a piece of that tool's arguments."""
    return {"type": "ToolCallArgumentsDelta", "index": index, "arguments_chunk": chunk}


def usage(**tokens: int) -> Delta:
    """Return how many tokens it took so far."""
    return {"type": "Usage", **tokens}


def text(content: str) -> Delta:
    """Return a piece of the answer, as which a `str` that is yielded counts too."""
    return {"type": "Delta", "content": content}


def written_completion(completion: Completion) -> dict[str, Any]:
    """Return an answer as it is sent."""
    calls = [call.parts() for call in completion.tool_calls]
    usual = "tool_calls" if calls else "stop"
    return named(
        content=completion.content,
        tool_calls=calls or None,
        finish_reason=completion.finish_reason or usual,
        usage=completion.usage,
        reasoning_content=completion.reasoning_content,
        resolved_model=completion.resolved_model,
    )
