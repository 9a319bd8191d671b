"""A valid example of what each message carries, by the names of the models. Data."""

# ruff: noqa: INP001 - a part of `message_reference`, which is run with -m

from collections.abc import Mapping
from typing import Any

_TOLD = {"token": "3.kq0Zc1uXw7gA412", "tier": "event"}
_ASKED = {"token": "3.kq0Zc1uXw7gA413", "tier": "command"}
_SPEAKER = {"agent_id": "speaker", "session_id": "5e55"}
_ROLL = {
    "name": "roll",
    "description": "Rolls dice.",
    "parameters": {
        "type": "object",
        "properties": {"dice": {"type": "string"}},
        "required": ["dice"],
    },
}
_BASH = {"command": "rm -r build"}
_STDIO_ROLL = {
    "name": "roll",
    "description": "Rolls dice.",
    "input_schema": {"type": "object", "properties": {"dice": {"type": "string"}}},
}

EXAMPLES: Mapping[str, Any] = {
    "request": {"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {}},
    "notification": {"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": 7}},
    "success": {"jsonrpc": "2.0", "id": 7, "result": {}},
    "failure": {
        "jsonrpc": "2.0",
        "id": 7,
        "error": {"code": -32601, "message": "method not found: dance"},
    },
    "error": {
        "code": -32004,
        "message": "kv/get needs the capability `kv`, which the manifest lacks",
        "data": {"capability": "kv"},
    },
    "context": _TOLD,
    "render block": {
        "kind": "widget",
        "widget_id": "list",
        "body": {"kind": "markdown", "text": "- milk\n- bread"},
        "keybindings": [{"key": "clear", "description": "Clear"}],
    },
    "registrations": {
        "tools": [_ROLL],
        "commands": [{"name": "roll", "description": "Rolls dice, such as /roll 2d6."}],
        "subscriptions": ["turn_end"],
        "hooks": [],
    },
    "tool": _ROLL,
    "provider": {"name": "attic", "models": [{"id": "attic-small"}]},
    "model": {"id": "attic-small", "display_name": "Attic (small)"},
    "completion": {"value": "2d6", "description": "from 2 to 12"},
    "hook outcome": {"action": "block", "reason": "a person said no"},
    "sep host initialize params": {
        "protocol_version": 1,
        "host": {"name": "papercup", "version": "0.1.0"},
        "workspace": {"root": "/srv/garden", "trusted": True},
        "mode": "widget",
        "ui_capabilities": ["select", "confirm"],
        "flags": {},
        "capabilities_enabled": {"tools": True, "commands": True, "kv": False},
    },
    "sep host initialize result": {
        "protocol_version": 1,
        "extension": {"name": "dice", "version": "1.0.0"},
        "registrations": {"tools": [_ROLL]},
    },
    "sep host event params": {
        "event": "turn_end",
        "seq": 12,
        "context": _TOLD,
        "payload": {"outcome": "answered", **_SPEAKER},
    },
    "sep host hook params": {
        "hook": "tool_call",
        "context": _ASKED,
        "input": {
            "tool": "Bash",
            "tool_name": "Bash",
            "arguments": _BASH,
            "call_id": "toolu_01",
            **_SPEAKER,
        },
    },
    "sep host hook result": {"action": "block", "reason": "a person said no"},
    "sep host tool/execute params": {
        "call_id": "toolu_02",
        "tool": "roll",
        "arguments": {"dice": "2d6"},
        "context": _TOLD,
    },
    "sep host tool/execute result": {"content": "5 + 2 = 7"},
    "sep host command/execute params": {
        "command": "roll",
        "context": _ASKED,
        "arguments": {"args": "2d6"},
    },
    "sep host command/execute result": {"content": "2d6: 5 + 2 = 7"},
    "sep host command/complete params": {"command": "roll", "context": _TOLD, "partial": "2"},
    "sep host command/complete result": {
        "completions": [{"value": "2d6", "description": "from 2 to 12"}]
    },
    "sep host provider/complete params": {
        "request_id": "request-1",
        "provider": "attic",
        "model": "attic-small",
        "messages": [{"role": "user", "content": "Say hello."}],
        "stream": True,
        "context": _TOLD,
    },
    "sep host provider/complete result": {
        "content": "Hello.",
        "finish_reason": "stop",
        "usage": {"prompt_tokens": 9, "completion_tokens": 2},
    },
    "sep host provider/oauth_login params": {"provider": "attic"},
    "sep host provider/oauth_login result": {
        "access_token": "a-1",
        "refresh_token": "r-1",
        "expires_at": 1773496920,
    },
    "sep host provider/oauth_refresh params": {"provider": "attic", "refresh_token": "r-1"},
    "sep host provider/oauth_refresh result": {"access_token": "a-2", "expires_at": 1773500520},
    "sep host $/cancel params": {"id": 7},
    "sep plugin log params": {
        "level": "info",
        "message": "rolled",
        "fields": {"dice": "2d6"},
    },
    "sep plugin registry/update params": {"tools": [_ROLL]},
    "sep plugin tools/set_active params": {"tools": ["roll"]},
    "sep plugin tools/set_active result": {"active": ["roll"]},
    "sep plugin tool/update params": {
        "call_id": "toolu_02",
        "message": "3 of 6",
        "progress": 0.5,
    },
    "sep plugin provider/delta params": {
        "request_id": "request-1",
        "event": {"type": "Delta", "content": "Hel"},
    },
    "sep plugin bus/publish params": {"topic": "shout", "payload": {"text": "Tea!"}},
    "sep plugin ui/request params": {
        "kind": "select",
        "prompt": "Which tea?",
        "options": ["green", "black"],
    },
    "sep plugin ui/request result": {"value": "green"},
    "sep plugin exec/run params": {
        "command": "git",
        "args": ["status", "--short"],
        "context": _TOLD,
    },
    "sep plugin exec/run result": {"stdout": " M a.py\n", "stderr": "", "exit_code": 0},
    "sep plugin kv/get params": {"key": "count"},
    "sep plugin kv/get result": {"value": 7},
    "sep plugin kv/set params": {"key": "count", "value": 8},
    "sep plugin kv/delete params": {"key": "count"},
    "sep plugin kv/list params": {"prefix": "allowed/"},
    "sep plugin kv/list result": {"keys": ["allowed/5e55"]},
    "sep plugin session/send_message params": {"context": _ASKED, "text": "Tea is ready."},
    "sep plugin session/send_user_message params": {
        "context": _ASKED,
        "text": "What is left to do?",
        "deliver_as": "follow_up",
    },
    "sep plugin session/append_entry params": {"context": _ASKED, "entry": {"rolled": 7}},
    "sep plugin session/set_model params": {"context": _ASKED, "model": "opus"},
    "sep plugin session/state params": {"context": _ASKED},
    "sep plugin session/state result": {
        "state": {"session_id": "5e55", "name": "call", "model": "opus", "is_answering": True}
    },
    "sep plugin $/cancel params": {"id": "p-4"},
    "stdio host initialize params": {"agent_version": "0.1.0", "extension_id": "dice"},
    "stdio host initialize result": {
        "server_version": "1.0.0",
        "tools": [_STDIO_ROLL],
        "hooks": ["before_tool_call"],
    },
    "stdio host tools/list result": {"tools": [_STDIO_ROLL]},
    "stdio host tools/call params": {"name": "roll", "arguments": {"dice": "2d6"}},
    "stdio host tools/call result": "5 + 2 = 7",
    "stdio host hooks/before_message params": {"text": "hello", "source": "text", **_SPEAKER},
    "stdio host hooks/before_message result": {
        "decision": "transform",
        "transformed_body": "hello there",
    },
    "stdio host hooks/after_message params": {"text": "Hi.", "source": "text", **_SPEAKER},
    "stdio host hooks/after_message result": {"override": {"text": "Hi!"}},
    "stdio host hooks/before_tool_call params": {
        "tool_name": "Bash",
        "arguments": _BASH,
        **_SPEAKER,
    },
    "stdio host hooks/before_tool_call result": {
        "decision": "block",
        "reason": "nothing is removed here",
    },
    "stdio host hooks/after_tool_call params": {
        "tool_name": "Bash",
        "duration_ms": 5,
        "result": "done",
        "error": None,
        **_SPEAKER,
    },
    "stdio host hooks/after_tool_call result": None,
    "stdio host shutdown params": {"reason": "stop"},
    "stdio host $/cancel params": {"id": 7},
}
"""What has no members has no example here."""

MORE: Mapping[str, tuple[Any, ...]] = {
    "render block": (
        {"kind": "markdown", "text": "**Tea** is ready."},
        {"kind": "keyvalue", "title": "Tea", "rows": [{"key": "Cups", "value": "2"}]},
        {"kind": "table", "columns": ["Tea", "Minutes"], "rows": [["green", "2"]]},
        {"kind": "diff", "patch": "-milk\n+oat milk"},
        {"kind": "progress", "value": 0.5, "label": "steeping"},
        {"kind": "stack", "children": [{"kind": "markdown", "text": "Tea"}]},
    ),
    "hook outcome": (
        {"action": "continue"},
        {"action": "modify", "patch": {"text": "hello there"}},
    ),
    "sep plugin ui/request params": (
        {"kind": "confirm", "prompt": "May this be run?"},
        {"kind": "input", "prompt": "What is it called?", "default": "tea"},
        {"kind": "notify", "message": "Tea is ready.", "level": "info"},
        {"kind": "set_status", "status": "steeping"},
        {"kind": "set_widget", "widget": {"kind": "markdown", "text": "Tea"}},
        {"kind": "set_title", "title": "Tea"},
    ),
}
"""Others of what has several forms, so that there is one of each."""
