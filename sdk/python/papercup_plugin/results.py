"""What tools and commands give back. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from papercup_plugin.framing import plain
from papercup_plugin.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable


class ToolResult(Record):
    """What a tool gives back, if there is more to say than a text."""

    content: str = ""
    """For the model."""
    is_error: bool = False
    """Whether the tool failed."""
    details: Any = None
    """For people's eyes; models do not see it."""


class CompletionItem(Record):
    """What the argument of a command may be completed to."""

    value: str
    description: str | None = None


def tool_result(returned: Any) -> ToolResult:
    """Return what a tool's function returned: a text, a result, nothing, or any JSON.

    Raises:
        TypeError: If it is none of these.
        ValueError: As above.
    """
    if isinstance(returned, ToolResult):
        return returned.replaced(content=_text(returned.content))
    return ToolResult(_text(returned))


def command_text(returned: Any) -> str | None:
    """Return what a command says to people; `None` if nothing."""
    return None if returned is None else tool_result(returned).content


def completion_items(returned: Iterable[Any] | None) -> list[CompletionItem]:
    """Return what a command may be completed to."""
    return [_completion_item(each) for each in returned or ()]


def _text(said: Any) -> str:
    if said is None or isinstance(said, str):
        return said or ""
    return json.dumps(said, ensure_ascii=False, default=plain)


def _completion_item(given: Any) -> CompletionItem:
    if isinstance(given, CompletionItem):
        return given
    return CompletionItem(given) if isinstance(given, str) else CompletionItem(*given)
