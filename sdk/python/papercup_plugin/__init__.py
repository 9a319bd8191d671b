"""Write a plugin in one file.

Such as:

    from papercup_plugin import Plugin

    plugin = Plugin("hello", version="1.0.0")

    @plugin.tool
    def greet(name: str) -> str:
        \"\"\"Greet somebody.\"\"\"
        return f"Hello, {name}!"

    plugin.run()

`papercup_plugin.testing` tests one, and `papercup_plugin.render` draws for people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papercup_plugin.context import Context
from papercup_plugin.errors import (
    BadArgumentsError,
    BlockedError,
    CallCancelled,
    CapabilityDisabledError,
    ContextViolationError,
    HostError,
    NoAnswerError,
    NotTrustedError,
    NoUiError,
    PluginError,
    RefusedError,
)
from papercup_plugin.hooks import Outcome, block, modify, proceed
from papercup_plugin.plugin import Plugin
from papercup_plugin.results import CompletionItem, ToolResult

if TYPE_CHECKING:
    from papercup_plugin import models, render
    from papercup_plugin.async_context import AsyncContext
    from papercup_plugin.constraints import Field
    from papercup_plugin.models import Completion, CompletionRequest, Credentials, Model, ToolCall
    from papercup_plugin.orders import ExecResult
    from papercup_plugin.providers import Provider
    from papercup_plugin.render import Block
    from papercup_plugin.shapes import HookName, HookResult
    from papercup_plugin.widgets import Widget

__all__ = [
    "AsyncContext",
    "BadArgumentsError",
    "Block",
    "BlockedError",
    "CallCancelled",
    "CapabilityDisabledError",
    "Completion",
    "CompletionItem",
    "CompletionRequest",
    "Context",
    "ContextViolationError",
    "Credentials",
    "ExecResult",
    "Field",
    "HookName",
    "HookResult",
    "HostError",
    "Model",
    "NoAnswerError",
    "NoUiError",
    "NotTrustedError",
    "Outcome",
    "Plugin",
    "PluginError",
    "Provider",
    "RefusedError",
    "ToolCall",
    "ToolResult",
    "Widget",
    "block",
    "models",
    "modify",
    "proceed",
    "render",
]

_ELSEWHERE = {
    "AsyncContext": "async_context",
    "Block": "render",
    "Completion": "models",
    "CompletionRequest": "models",
    "Credentials": "models",
    "ExecResult": "orders",
    "Field": "constraints",
    "HookName": "shapes",
    "HookResult": "shapes",
    "Model": "models",
    "Provider": "providers",
    "ToolCall": "models",
    "Widget": "widgets",
}
"""In which module each stands that few plugins need: it is imported once somebody wants it."""


def __getattr__(name: str) -> Any:
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = __import__(f"{__name__}.{_ELSEWHERE[name]}", fromlist=[name])
    return getattr(module, name)
