"""What a client asked the model, read out of the request's JSON. Pure."""

import json
import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard, cast

Json = Mapping[str, Any]

# Claude Code hands on what a person says in the midst of a turn as a system message.
_INTERJECTION = re.compile(
    r"The user sent a new message while you were working:\n(.*?)(?:\n\nThis is how Claude Code|\Z)",
    re.DOTALL,
)
_ADDED = re.compile(
    r"<system-reminder>.*?</system-reminder>|\[Request interrupted by user(?: for tool use)?\]"
    r"|\[Image: source: [^\]\n]*\]",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool that the model used gave back."""

    tool: str
    """The tool's name; empty if the conversation does not hold its use."""
    text: str
    is_error: bool

    @property
    def json(self) -> Any:
        """The text, read as JSON.

        Raises:
            ValueError: If it is none.
        """
        return json.loads(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownImage:
    """An image that the model is shown."""

    media_type: str
    content: bytes


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """One request for an answer, as a script sees it."""

    headers: Json
    """By lower-case name."""
    body: Json

    @property
    def model(self) -> str:
        """The model that is asked."""
        return str(self.body.get("model", ""))

    @property
    def api_key(self) -> str | None:
        """The key that came with it, in whichever header."""
        bearer = str(self.headers.get("authorization", "")).removeprefix("Bearer ")
        return self.headers.get("x-api-key") or bearer or None

    @property
    def session_id(self) -> str | None:
        """The Claude session that asks, if the client is Claude Code."""
        return self.headers.get("x-claude-code-session-id")

    @cached_property
    def system_text(self) -> str:
        """The system prompt, and what came as `system` messages after it."""
        later = [_text(m.get("content")) for m in self._messages if m.get("role") == "system"]
        return "\n".join([_text(self.body.get("system")), *later])

    @cached_property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools that are offered."""
        offered = cast("Sequence[Json]", self.body.get("tools") or ())
        return tuple(str(tool.get("name")) for tool in offered)

    @cached_property
    def user_texts(self) -> tuple[str, ...]:
        """What people said, oldest first, without what the client put around it."""
        return tuple(text for m in self._messages if (text := _spoken(m)))

    @property
    def last_user_text(self) -> str:
        """The newest thing that a person said, in the midst of a turn perhaps."""
        return self.user_texts[-1] if self.user_texts else ""

    @property
    def last_images(self) -> tuple[ShownImage, ...]:
        """What was shown with the newest thing that a person said."""
        at = self._last_user_at
        blocks = () if at is None else _blocks(self._messages[at].get("content"))
        sources = [b.get("source", {}) for b in blocks if b.get("type") == "image"]
        return tuple(
            ShownImage(media_type=str(s.get("media_type")), content=b64decode(s.get("data", "")))
            for s in sources
        )

    @cached_property
    def step(self) -> int:
        """How many answers the model has given since a person last said something."""
        return sum(1 for message in self._since if message.get("role") == "assistant")

    @cached_property
    def tool_results(self) -> tuple[ToolResult, ...]:
        """What the tools gave back since a person last said something, oldest first."""
        return tuple(
            ToolResult(
                tool=self._tool_names.get(str(block.get("tool_use_id")), ""),
                text=_text(block.get("content")),
                is_error=bool(block.get("is_error")),
            )
            for message in self._since
            for block in _blocks(message.get("content"))
            if block.get("type") == "tool_result"
        )

    @property
    def last_tool_result(self) -> str | None:
        """The newest text that a tool gave back since a person last said something."""
        return self.tool_results[-1].text if self.tool_results else None

    @property
    def last_tool_json(self) -> Any:
        """The same, read as JSON; `None` if there is none.

        Raises:
            ValueError: If the text is not JSON.
        """
        return self.tool_results[-1].json if self.tool_results else None

    @property
    def _messages(self) -> Sequence[Json]:
        return cast("Sequence[Json]", self.body.get("messages") or ())

    @cached_property
    def _last_user_at(self) -> int | None:
        newest_first = reversed(list(enumerate(self._messages)))
        return next((at for at, message in newest_first if _spoken(message)), None)

    @cached_property
    def _since(self) -> Sequence[Json]:
        at = self._last_user_at
        return () if at is None else self._messages[at + 1 :]

    @cached_property
    def _tool_names(self) -> dict[str, str]:
        return {
            str(block.get("id")): str(block.get("name"))
            for message in self._messages
            if message.get("role") == "assistant"
            for block in _blocks(message.get("content"))
            if block.get("type") == "tool_use"
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedRequest:
    """Any request that reached the stand-in."""

    method: str
    path: str
    """With its query."""
    headers: Json
    """By lower-case name."""
    body: Json | None
    """`None` if there was none, or it was not a JSON object."""


def _blocks(content: Any) -> Sequence[Json]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if _are_blocks(content) else ()


def _are_blocks(content: Any) -> TypeGuard[list[Json]]:
    return isinstance(content, list)


def _text(content: Any) -> str:
    blocks = _blocks(content)
    return "\n".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")


def _spoken(message: Json) -> str:
    """Return what a person says in a message, without what the client put around it."""
    text = _text(message.get("content"))
    match message.get("role"):
        case "user":
            return _ADDED.sub("", text).strip()
        case "system":
            return "\n".join(_INTERJECTION.findall(text)).strip()
        case _:
            return ""
