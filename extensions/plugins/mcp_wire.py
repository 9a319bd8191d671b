"""What is said to an MCP server, and how its answers are read. Pure."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from extensions.plugins.dialects.reading import Warn, tools_of
from extensions.plugins.json_values import as_list, as_object
from extensions.plugins.registrations import PluginAnswer, ToolRegistration

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Of the protocol, with a handshake: those that are understood here, the newest first."""

_NOTHING = "(It gave back nothing.)"
_KB = 1000


def hello(host_version: str) -> dict[str, Any]:
    """Return the params of `initialize`."""
    return {
        "protocolVersion": VERSIONS[0],
        # Nothing: a server can ask no model, no person and no folder of ours.
        "capabilities": {},
        "clientInfo": {"name": "papercup", "version": host_version},
    }


def fault_of_greeting(result: Any) -> str | None:
    """Return what is wrong with an answer to `initialize`; `None` if nothing is."""
    members = as_object(result)
    version = None if members is None else members.get("protocolVersion")
    if not isinstance(version, str):
        return "it does not say which version of MCP it speaks"
    if version not in VERSIONS:
        return f"it speaks version {version[:40]!r} of MCP, which is not known here"
    return None


def page_of(result: Any) -> tuple[list[Any], str | None]:
    """Return what a page of `tools/list` lists, and where the next one begins, if there is one."""
    members = as_object(result) or {}
    cursor = members.get("nextCursor")
    is_last = not isinstance(cursor, str) or not cursor
    return as_list(members.get("tools")) or [], None if is_last else cursor


def registrations_of(listed: list[Any], warn: Warn) -> tuple[ToolRegistration, ...]:
    """Return the tools that were listed; what cannot be used is named."""
    return tools_of(listed, ("inputSchema",), warn)


def tool_name(server: str, tool: str, *, is_alone: bool) -> str:
    """Return how a tool of a server is called within its plugin.

    Args:
        server: The server's name.
        tool: As the server calls it.
        is_alone: Whether all tools of the plugin are that server's.
    """
    return tool if is_alone else f"{server}_{tool}"


def answer_of(result: Any) -> PluginAnswer:
    """Return what a tool gave back, as text: what is none is named in words."""
    members = as_object(result)
    if members is None:
        return PluginAnswer(text="It gave back what is no answer of a tool.", is_error=True)
    text = "\n".join(map(_in_words, as_list(members.get("content")) or []))
    structured = members.get("structuredContent")
    if not text and structured is not None:
        text = json.dumps(structured, ensure_ascii=False)
    return PluginAnswer(text=text or _NOTHING, is_error=members.get("isError") is True)


def _in_words(raw: Any) -> str:
    content = as_object(raw) or {}
    match content.get("type"):
        case "text":
            return _text(content, "text")
        case "image" | "audio" as kind:
            return f"[{kind}{_measure(content, 'data')}: it cannot be shown here]"
        case "resource_link":
            return f"[link to a resource: {' '.join(_said(content, 'title', 'name', 'uri'))}]"
        case "resource":
            return _resource_in_words(as_object(content.get("resource")) or {})
        case kind:
            return f"[content of a kind that is not known here: {str(kind)[:100]}]"


def _resource_in_words(resource: Mapping[str, Any]) -> str:
    uri = _text(resource, "uri")
    if isinstance(resource.get("text"), str):
        return f"[resource {uri}]\n{resource['text']}"
    return f"[resource {uri}{_measure(resource, 'blob')}: it cannot be shown here]"


def _measure(content: Mapping[str, Any], key: str) -> str:
    # In Base64, four characters stand for three bytes.
    size_bytes = len(_text(content, key)) * 3 // 4
    size = f"{size_bytes} bytes" if size_bytes < _KB else f"{size_bytes // _KB} kB"
    return "".join(f", {each}" for each in (*_said(content, "mimeType"), size))


def _said(content: Mapping[str, Any], *keys: str) -> Iterator[str]:
    return (text for key in keys if (text := _text(content, key)))


def _text(content: Mapping[str, Any], key: str) -> str:
    value = content.get(key)
    return value if isinstance(value, str) else ""
