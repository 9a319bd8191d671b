"""What is said to a host that is tested, and what it has to make of it. Pure.

Right and wrong ones stand side by side: a host must take what is right, and refuse what is wrong.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from papercup_plugin.errors import (
    CAPABILITY_DISABLED,
    CONTEXT_VIOLATION,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    NOT_TRUSTED,
)

IN_COMMAND, IN_EVENT = "@command", "@event"
"""Stand for a context of that tier."""
_STALE = {"token": "of an earlier program", "tier": "command"}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCase:
    """Something that a plugin asks."""

    method: str
    what: str
    """What is asked, or what is wrong with it, in words."""
    params: Any = field(default_factory=dict[str, Any])
    refused_with: int | None = None
    """The code of the error; `None`: it is taken, and answered as the protocol has it."""
    gives: dict[str, Any] | None = None
    """The whole answer, where that is known; people say yes, choose the first option and write
    `text`, and programs end well and silently."""
    before: tuple[tuple[str, dict[str, Any]], ...] = ()
    """What is asked before: methods, and their parameters."""

    @property
    def name(self) -> str:
        """What the case is called."""
        return f"{self.method}: {self.what}"


def _wrong(method: str, what: str, params: Any, code: int = INVALID_PARAMS) -> QuestionCase:
    return QuestionCase(method=method, what=what, params=params, refused_with=code)


def _right(method: str, what: str = "as it has to be", **params: Any) -> QuestionCase:
    return QuestionCase(method=method, what=what, params=params)


def _gives(
    method: str,
    what: str,
    params: dict[str, Any],
    gives: dict[str, Any],
    before: tuple[tuple[str, dict[str, Any]], ...] = (),
) -> QuestionCase:
    return QuestionCase(method=method, what=what, params=params, gives=gives, before=before)


def _session(name: str, **params: Any) -> Iterator[QuestionCase]:
    method = f"session/{name}"
    yield _right(method, context=IN_COMMAND, **params)
    yield _wrong(method, "without a context", params)
    yield _wrong(
        method, "with a context of events", {"context": IN_EVENT, **params}, CONTEXT_VIOLATION
    )
    yield _wrong(
        method,
        "with a context that was never given",
        {"context": _STALE, **params},
        CONTEXT_VIOLATION,
    )


_BLOCK = {"kind": "markdown", "text": "*text*"}
_KEPT = {"any": [1, None, "ä"]}
_KEEPS = ("kv/set", {"key": "any", "value": _KEPT})
_CHOICE = {"kind": "select", "prompt": "Which?", "options": ["a", "b"]}
_PROVIDER = {"name": "parrot", "oauth": True, "models": [{"id": "grey"}]}

UI = (
    _gives("ui/request", "select", _CHOICE, {"value": "a"}),
    _gives("ui/request", "confirm", {"kind": "confirm", "prompt": "Really?"}, {"confirmed": True}),
    _gives("ui/request", "input", {"kind": "input", "prompt": "?"}, {"text": "text"}),
    _right("ui/request", "input with a default", kind="input", prompt="What?", default="text"),
    _right("ui/request", "notify", kind="notify", message="text", level="warn"),
    _right("ui/request", "notify without a level", kind="notify", message="text"),
    _right("ui/request", "set_status", kind="set_status", status="text"),
    _right("ui/request", "set_widget", kind="set_widget", widget=_BLOCK),
    _right("ui/request", "set_title", kind="set_title", title="text"),
    _wrong("ui/request", "a kind that there is not", {"kind": "dance", "prompt": "text"}),
    _wrong("ui/request", "without a kind", {"prompt": "text"}),
    _wrong("ui/request", "select without options", {"kind": "select", "prompt": "Which?"}),
    _wrong("ui/request", "select without a prompt", {"kind": "select", "options": ["a"]}),
    _wrong("ui/request", "notify without a message", {"kind": "notify", "level": "info"}),
    _wrong(
        "ui/request",
        "a level that there is not",
        {"kind": "notify", "message": "text", "level": "loud"},
    ),
    _wrong(
        "ui/request",
        "confirm with a member of another kind",
        {"kind": "confirm", "prompt": "Really?", "options": ["a"]},
    ),
    _wrong("ui/request", "a prompt that is no text", {"kind": "confirm", "prompt": 7}),
    _wrong("ui/request", "a widget that is no object", {"kind": "set_widget", "widget": "text"}),
)
KV = (
    _gives("kv/set", "any value", {"key": "any", "value": _KEPT}, {}),
    _gives("kv/set", "null", {"key": "nothing", "value": None}, {}),
    _gives("kv/get", "what was kept", {"key": "any"}, {"value": _KEPT}, (_KEEPS,)),
    _gives("kv/get", "what was never kept", {"key": "never"}, {"value": None}),
    _right("kv/list", "all"),
    _gives("kv/list", "some", {"prefix": "an"}, {"keys": ["any"]}, (_KEEPS,)),
    _gives("kv/list", "of which there are none", {"prefix": "zz"}, {"keys": []}, (_KEEPS,)),
    _gives("kv/delete", "what was kept", {"key": "any"}, {}, (_KEEPS,)),
    _gives(
        "kv/get",
        "what was taken away",
        {"key": "any"},
        {"value": None},
        (_KEEPS, ("kv/delete", {"key": "any"})),
    ),
    _wrong("kv/get", "without a key", {}),
    _wrong("kv/get", "a key that is no text", {"key": 7}),
    _wrong("kv/set", "without a value", {"key": "any"}),
    _wrong("kv/set", "without a key", {"value": 1}),
    _wrong("kv/delete", "without a key", {}),
    _wrong("kv/list", "a prefix that is no text", {"prefix": ["any"]}),
)
SESSION = (
    *_session("send_message", text="text", role="assistant"),
    *_session("send_user_message", text="text", deliver_as="next_turn"),
    *_session("append_entry", entry={"any": 1}),
    *_session("set_model", model="any", thinking="low"),
    *_session("state"),
    _right("session/send_message", "without a role", context=IN_COMMAND, text="text"),
    _wrong("session/send_message", "without a text", {"context": IN_COMMAND}),
    _wrong(
        "session/send_message",
        "a role that there is not",
        {"context": IN_COMMAND, "text": "text", "role": "system"},
    ),
    _wrong(
        "session/send_user_message",
        "a time that there is not",
        {"context": IN_COMMAND, "text": "text", "deliver_as": "never"},
    ),
    _wrong("session/append_entry", "without an entry", {"context": IN_COMMAND}),
    _wrong(
        "session/append_entry",
        "an entry that is no object",
        {"context": IN_COMMAND, "entry": "text"},
    ),
    _wrong("session/set_model", "without a model", {"context": IN_COMMAND}),
)
OTHERS = (
    _right("ping"),
    _right("log", level="info", message="text", fields={"any": 1}),
    _right("registry/update", commands=[{"name": "later", "description": "Comes later."}]),
    _right("registry/update", "a provider", providers=[_PROVIDER]),
    _gives("tools/set_active", "its own tool", {"tools": ["probe"]}, {"active": ["probe"]}),
    _gives("tools/set_active", "none", {"tools": []}, {"active": []}),
    _gives(
        "tools/set_active",
        "tools of others, too",
        {"tools": ["probe", "nobodys"]},
        {"active": ["probe"]},
    ),
    _right("tool/update", call_id="none", message="half", progress=0.5, details=[1]),
    _right("provider/delta", request_id="none", event={"type": "Delta", "content": "text"}),
    _right("bus/publish", topic="any", payload={"any": 1}),
    _gives(
        "exec/run",
        "as it has to be",
        {"command": "true", "args": ["a"], "context": IN_COMMAND},
        {"stdout": "", "stderr": "", "exit_code": 0},
    ),
    _right("exec/run", "for an event", command="true", context=IN_EVENT),
    _right("tools/register", "the older name of registry/update", flags=["loud"]),
    _right("tools/setActive", "the older name of tools/set_active", tools=["probe"]),
    _right("events/publish", "the older name of bus/publish", topic="any", payload={}),
    _wrong("log", "without a message", {"level": "info"}),
    _wrong("tools/set_active", "without tools", {}),
    _wrong("tools/set_active", "tools that are no texts", {"tools": [1]}),
    _wrong("tool/update", "without a call", {"message": "half"}),
    _wrong("tool/update", "more than all of it", {"call_id": "none", "progress": 1.5}),
    _wrong("tool/update", "less than nothing", {"call_id": "none", "progress": -0.1}),
    _wrong("provider/delta", "without an event", {"request_id": "none"}),
    _wrong("provider/delta", "without a request", {"event": {"type": "Done"}}),
    _wrong("bus/publish", "without a topic", {"payload": {}}),
    _wrong("exec/run", "without a program", {"context": IN_COMMAND}),
    _wrong("exec/run", "without a context", {"command": "true"}),
    _wrong(
        "exec/run",
        "arguments that are no texts",
        {"command": "true", "args": [1], "context": IN_COMMAND},
    ),
    _wrong("nobody/has_this", "a method that there is not", {}, METHOD_NOT_FOUND),
    _wrong("kv/get", "params that are a list", ["any"]),
)
QUESTIONS = (*OTHERS, *UI, *KV, *SESSION)

_UNDECLARED: Mapping[str, dict[str, Any]] = {
    "ui/request": {"kind": "confirm", "prompt": "Really?"},
    "kv/get": {"key": "any"},
    "bus/publish": {"topic": "any", "payload": {}},
    "exec/run": {"command": "true", "context": IN_COMMAND},
    "session/state": {"context": IN_COMMAND},
    "tools/set_active": {"tools": []},
}
UNDECLARED = tuple(
    _wrong(method, "not declared in the manifest", params, CAPABILITY_DISABLED)
    for method, params in _UNDECLARED.items()
)
"""To a host of a plugin that declares commands alone."""
UNGRANTED_QUESTIONS = (
    _wrong(
        "exec/run",
        "not granted by the operator",
        {"command": "true", "context": IN_COMMAND},
        NOT_TRUSTED,
    ),
)
"""To a host whose operator has not granted it."""

NO_MESSAGES: Mapping[str, str] = {
    "no JSON": "no JSON",
    "an empty line": "",
    "a list": '[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]',
    "a number": "7",
    "null": "null",
    "half a message": '{"jsonrpc": "2.0", "id": 1, "method": "pi',
    "another version of JSON-RPC": '{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
    "a request without a method": '{"jsonrpc": "2.0", "id": 1, "params": {}}',
    "a method that is no text": '{"jsonrpc": "2.0", "id": 1, "method": 7}',
    "an id that is a list": '{"jsonrpc": "2.0", "id": [1], "method": "ping"}',
    "an id that is null": '{"jsonrpc": "2.0", "id": null, "method": "ping"}',
    "an answer to nothing": '{"jsonrpc": "2.0", "id": 987654321, "result": {}}',
    "an error about nothing": '{"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": ""}}',
    "a notification that there is not": '{"jsonrpc": "2.0", "method": "nobody/tells_this"}',
    "a notification without params": '{"jsonrpc": "2.0", "method": "log"}',
    "a cancellation of nothing": '{"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": 9}}',
    "a very deep list": "[" * 100_000,
}
"""Lines after which a host goes on, without any answer."""
