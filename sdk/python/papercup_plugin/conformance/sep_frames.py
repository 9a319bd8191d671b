"""The messages of the dialect `sep`. Pure."""

from papercup_plugin.conformance.common_frames import (
    ANYTHING,
    CONTEXT,
    COUNT,
    EMPTY,
    FLAG,
    ID,
    MEMBERS,
    RENDER_BLOCK,
    TEXT,
    TEXTS,
    WHOLE,
)
from papercup_plugin.conformance.kinds import ListOf, MapOf, Number, Object, Tagged, Text
from papercup_plugin.conformance.methods import Method, Side

HOOKS = (
    "tool_call",
    "user_bash",
    "tool_result",
    "input",
    "before_agent_start",
    "context",
    "before_provider_request",
    "message_end",
    "session_before_compact",
    "session_before_tree",
)
EVENTS = (
    "agent_start",
    "agent_end",
    "turn_start",
    "turn_end",
    "message_start",
    "message_update",
    "message_end",
    "tool_execution_start",
    "tool_execution_update",
    "tool_execution_end",
    "model_select",
    "after_provider_response",
    "session_start",
    "session_shutdown",
    "session_compact",
    "session_tree",
    "bus/event",
    "widget/key",
    "events_lost",
)

_VERSION = Number(is_whole=True, least=1)
_NAMED = Object(required={"name": TEXT, "version": TEXT})

TOOL = Object(
    required={"name": TEXT, "description": TEXT, "parameters": MEMBERS},
    optional={"deferred": FLAG},
)
COMMAND = Object(required={"name": TEXT, "description": TEXT})
SHORTCUT = Object(required={"key": TEXT, "command": TEXT}, optional={"description": TEXT})
MODEL = Object(required={"id": TEXT}, optional={"display_name": TEXT})
PROVIDER = Object(
    required={"name": TEXT},
    optional={
        "base_url": TEXT,
        "api_key_env": TEXT,
        "oauth": FLAG,
        "models": ListOf(MODEL),
    },
)
RENDERER = Object(required={"tag": TEXT, "template": RENDER_BLOCK})
REGISTRATIONS = Object(
    optional={
        "tools": ListOf(TOOL),
        "commands": ListOf(COMMAND),
        "flags": TEXTS,
        "shortcuts": ListOf(SHORTCUT),
        "subscriptions": TEXTS,
        "providers": ListOf(PROVIDER),
        "hooks": TEXTS,
        "message_renderers": ListOf(RENDERER),
    }
)

OUTCOME = Tagged(
    "action",
    {
        "continue": EMPTY,
        "block": Object(optional={"reason": TEXT}),
        "modify": Object(required={"patch": MEMBERS}),
    },
)
COMPLETION = Object(required={"value": TEXT}, optional={"description": TEXT})
_TOOL_CALL = Object(required={"id": TEXT, "name": TEXT, "arguments": ANYTHING})
_USAGE = Object(
    optional={
        "prompt_tokens": COUNT,
        "completion_tokens": COUNT,
        "total_tokens": COUNT,
        "cached_tokens": COUNT,
    },
    is_open=True,
)
_GRANTED = Object(
    optional={
        "api_key": TEXT,
        "access_token": TEXT,
        "refresh_token": TEXT,
        "expires_at": WHOLE,
        "extra": MEMBERS,
    }
)
_LOGIN = Object(required={"provider": TEXT}, optional={"refresh_token": TEXT, "context": CONTEXT})

OF_HOST = (
    Method(
        name="initialize",
        by=Side.HOST,
        params=Object(
            required={
                "protocol_version": _VERSION,
                "host": _NAMED,
                "workspace": Object(required={"root": TEXT, "trusted": FLAG}),
                "mode": Text(choices=("tui", "web", "widget", "cli", "headless")),
            },
            optional={
                "session": Object(optional={"id": TEXT}),
                "ui_capabilities": TEXTS,
                "flags": MEMBERS,
                "capabilities_enabled": MapOf(FLAG),
            },
        ),
        result=Object(
            required={"protocol_version": _VERSION, "extension": _NAMED},
            optional={"registrations": REGISTRATIONS},
        ),
    ),
    Method(name="ping", by=Side.HOST, params=EMPTY, result=EMPTY),
    Method(name="shutdown", by=Side.HOST, params=EMPTY, result=EMPTY),
    Method(
        name="event",
        by=Side.HOST,
        params=Object(
            required={"event": TEXT, "context": CONTEXT},
            optional={"seq": COUNT, "payload": MEMBERS},
        ),
    ),
    Method(
        name="hook",
        by=Side.HOST,
        params=Object(required={"hook": Text(choices=HOOKS), "context": CONTEXT, "input": MEMBERS}),
        result=OUTCOME,
    ),
    Method(
        name="tool/execute",
        by=Side.HOST,
        params=Object(
            required={"call_id": TEXT, "tool": TEXT, "arguments": MEMBERS, "context": CONTEXT}
        ),
        result=Object(required={"content": TEXT}, optional={"is_error": FLAG, "details": ANYTHING}),
    ),
    Method(
        name="command/execute",
        by=Side.HOST,
        params=Object(
            required={"command": TEXT, "context": CONTEXT}, optional={"arguments": MEMBERS}
        ),
        result=Object(optional={"content": TEXT}),
    ),
    Method(
        name="command/complete",
        by=Side.HOST,
        params=Object(required={"command": TEXT, "context": CONTEXT}, optional={"partial": TEXT}),
        result=Object(optional={"completions": ListOf(COMPLETION)}),
    ),
    Method(
        name="provider/complete",
        by=Side.HOST,
        params=Object(
            required={
                "request_id": TEXT,
                "provider": TEXT,
                "model": TEXT,
                "messages": ListOf(MEMBERS),
            },
            optional={
                "tools": ListOf(MEMBERS),
                "stream": FLAG,
                "response_format": MEMBERS,
                "thinking": TEXT,
                "context": CONTEXT,
            },
        ),
        result=Object(
            optional={
                "content": TEXT,
                "tool_calls": ListOf(_TOOL_CALL),
                "finish_reason": TEXT,
                "usage": _USAGE,
                "reasoning_content": TEXT,
                "resolved_model": TEXT,
            }
        ),
    ),
    Method(name="provider/oauth_login", by=Side.HOST, params=_LOGIN, result=_GRANTED),
    Method(name="provider/oauth_refresh", by=Side.HOST, params=_LOGIN, result=_GRANTED),
    Method(name="$/cancel", by=Side.HOST, params=Object(required={"id": ID})),
)
