"""What is asked of models that plugins give access to, and what they answer. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from extensions.plugins.fields import BadFieldError, Fields


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """What a model is asked."""

    model: str
    messages: Sequence[Mapping[str, Any]]
    """What was said so far, as the provider takes it."""
    tools: Sequence[Mapping[str, Any]] = ()
    """What the model may use, as the provider takes it."""
    response_format: Mapping[str, Any] | None = None
    """The form that the answer has to have."""
    thinking: str | None = None
    """How hard it thinks: `off`, `low`, `medium`, `high`, or a word of the provider's."""

    def params(self, provider: str, *, is_streamed: bool) -> dict[str, Any]:
        """Return it as it stands on the wire.

        Args:
            provider: Who is asked, as the plugin calls it.
            is_streamed: Whether pieces of the answer are wanted.
        """
        params: dict[str, Any] = {
            "provider": provider,
            "model": self.model,
            "messages": [dict(message) for message in self.messages],
            "stream": is_streamed,
        }
        if self.tools:
            params["tools"] = [dict(tool) for tool in self.tools]
        if self.response_format is not None:
            params["response_format"] = dict(self.response_format)
        if self.thinking is not None:
            params["thinking"] = self.thinking
        return params


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A tool that a model wants to use."""

    id: str
    name: str
    arguments: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model answered."""

    text: str = ""
    tool_uses: tuple[ToolUse, ...] = ()
    finish_reason: str = "stop"
    usage: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many tokens of each kind it took."""
    reasoning: str | None = None
    """What the provider wants back with the next request."""
    model: str | None = None
    """Which model it was in the end."""


def read_completion(result: Any) -> Completion:
    """Return what a plugin's answer to `provider/complete` says.

    Raises:
        BadFieldError: If it means nothing.
    """
    if not isinstance(result, dict):
        raise BadFieldError("the answer is not an object")
    fields = Fields(cast("dict[str, Any]", result))
    return Completion(
        text=fields.any_text("content") or "",
        tool_uses=tuple(_tool_use(each) for each in _entries(fields, "tool_calls")),
        finish_reason=fields.any_text("finish_reason") or "stop",
        usage=_usage(fields),
        reasoning=fields.any_text("reasoning_content"),
        model=fields.any_text("resolved_model"),
    )


def _entries(fields: Fields, name: str) -> list[Any]:
    found: Any = fields.all.get(name)
    if found is None:
        return []
    if not isinstance(found, list):
        raise BadFieldError(f"{name} has to be a list")
    return list(cast("list[object]", found))


def _tool_use(entry: Any) -> ToolUse:
    if not isinstance(entry, dict):
        raise BadFieldError("tool_calls has to be a list of objects")
    fields = Fields(cast("dict[str, Any]", entry))
    return ToolUse(
        id=fields.text("id"), name=fields.text("name"), arguments=fields.value("arguments")
    )


def _usage(fields: Fields) -> dict[str, int]:
    if fields.all.get("usage") is None:
        return {}
    found = fields.mapping("usage")
    # True is an int, too.
    return {name: count for name, count in found.items() if type(count) is int and count >= 0}
