"""What a plugin answers to a host that is tested, and what the host has to make of it. Pure."""

from dataclasses import dataclass
from typing import Any

from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.errors import BLOCKED, CANCELLED, INVALID_PARAMS, METHOD_NOT_FOUND

FAILED = "it fails"
READY, NOT_READY = "it is ready with", "it is not ready"
PASSES, CHANGES, FORBIDS = "it goes on", "it is changed", "it is forbidden"
TELLS = "it says"
"""What a host makes of an answer; some are followed by what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCase:
    """Something that a plugin answers."""

    method: str
    what: str
    """What is answered, or what is wrong with it, in words."""
    members: dict[str, Any]
    """`result` or `error`."""
    becomes: str
    """What the host makes of it."""
    dialect: Dialect = Dialect.SEP
    point: str | None = None
    """Of a hook: where it is asked."""

    @property
    def name(self) -> str:
        """What the case is called."""
        where = self.method if self.point is None else f"{self.method} at {self.point}"
        whose = "" if self.dialect is Dialect.SEP else f"{self.dialect} "
        return f"{whose}{where}: {self.what}"


def _result(method: str, what: str, result: Any, becomes: str, **more: Any) -> AnswerCase:
    return AnswerCase(method=method, what=what, members={"result": result}, becomes=becomes, **more)


def _error(method: str, what: str, code: int, becomes: str, **more: Any) -> AnswerCase:
    error = {"code": code, "message": "text"}
    return AnswerCase(method=method, what=what, members={"error": error}, becomes=becomes, **more)


def _greeting(**members: Any) -> dict[str, Any]:
    return {"protocol_version": 1, "extension": {"name": "peer", "version": "1"}, **members}


_PROBE = {"name": "probe", "description": "Is tried.", "parameters": {"type": "object"}}
_OFFER = {"tools": [_PROBE], "commands": [{"name": "control", "description": "Steers."}]}
_STDIO_PROBE = {"name": "probe", "description": "Is tried.", "input_schema": {"type": "object"}}

GREETINGS = (
    _result("initialize", "as it has to be", _greeting(registrations=_OFFER), f"{READY} probe"),
    _result("initialize", "without registrations", _greeting(), f"{READY} nothing"),
    _result(
        "initialize",
        "a newer version",
        {**_greeting(registrations=_OFFER), "protocol_version": 7},
        f"{READY} probe",
    ),
    _result(
        "initialize",
        "members that nobody knows",
        _greeting(registrations={**_OFFER, "any": 1}, any={"any": 1}),
        f"{READY} probe",
    ),
    _result(
        "initialize",
        "a tool without a name, beside another",
        _greeting(registrations={"tools": [{"description": "text"}, _PROBE]}),
        f"{READY} probe",
    ),
    _result(
        "initialize",
        "a tool that is no object, beside another",
        _greeting(registrations={"tools": [7, _PROBE]}),
        f"{READY} probe",
    ),
    _result(
        "initialize",
        "a tool whose schema is none, beside another",
        _greeting(registrations={"tools": [{**_PROBE, "name": "b", "parameters": 7}, _PROBE]}),
        f"{READY} probe",
    ),
    _result(
        "initialize",
        "a provider without a name, and a model without an id",
        _greeting(registrations={**_OFFER, "providers": [{}, {"name": "a", "models": [{}]}]}),
        f"{READY} probe",
    ),
    _result(
        "initialize",
        "registrations that are no object",
        _greeting(registrations=[1]),
        f"{READY} nothing",
    ),
    _result("initialize", "no version", {"extension": {"name": "a", "version": "1"}}, NOT_READY),
    _result("initialize", "the version 0", {**_greeting(), "protocol_version": 0}, NOT_READY),
    _result(
        "initialize", "a version in words", {**_greeting(), "protocol_version": "1"}, NOT_READY
    ),
    _result("initialize", "a list", [1], NOT_READY),
    _result("initialize", "nothing", None, NOT_READY),
    _error("initialize", "an error", INVALID_PARAMS, NOT_READY),
    _result(
        "initialize",
        "as it has to be",
        {"tools": [_STDIO_PROBE], "hooks": []},
        f"{READY} probe",
        dialect=Dialect.STDIO,
    ),
    _result("initialize", "nothing offered", {}, f"{READY} nothing", dialect=Dialect.STDIO),
    _result("initialize", "a list", [], NOT_READY, dialect=Dialect.STDIO),
    _error("initialize", "an error", INVALID_PARAMS, NOT_READY, dialect=Dialect.STDIO),
)
"""Each to a program of its own."""

USES = (
    _result("tool/execute", "a text", {"content": "text"}, f"{TELLS} text"),
    _result(
        "tool/execute",
        "details besides",
        {"content": "text", "details": {"any": 1}},
        f"{TELLS} text",
    ),
    _result(
        "tool/execute", "that it failed", {"content": "text", "is_error": True}, f"{FAILED}: text"
    ),
    _result(
        "tool/execute",
        "a member that nobody knows",
        {"content": "text", "any": 1},
        f"{TELLS} text",
    ),
    _result("tool/execute", "without content", {"details": 1}, FAILED),
    _result("tool/execute", "content that is no text", {"content": 7}, FAILED),
    _result("tool/execute", "nothing", None, FAILED),
    _result("tool/execute", "a list", [1], FAILED),
    _error("tool/execute", "an error", INVALID_PARAMS, FAILED),
    _error("tool/execute", "that it was cancelled", CANCELLED, FAILED),
    _result("command/execute", "a text", {"content": "text"}, f"{TELLS} text"),
    _result("command/execute", "nothing to say", {}, f"{TELLS} /probe: done"),
    _error("command/execute", "an error", INVALID_PARAMS, f"{FAILED}: /probe failed: text"),
    _result(
        "command/complete",
        "two of them",
        {"completions": [{"value": "a", "description": "A"}, {"value": "b"}]},
        f"{TELLS} a, b",
    ),
    _result("command/complete", "none", {}, f"{TELLS} nothing"),
    _result(
        "command/complete",
        "one without a value",
        {"completions": [{"description": "A"}, {"value": "b"}]},
        f"{TELLS} b",
    ),
    _result("command/complete", "what is no list", {"completions": 7}, f"{TELLS} nothing"),
    _error("command/complete", "an error", METHOD_NOT_FOUND, f"{TELLS} nothing"),
    _result("provider/complete", "a text", {"content": "text"}, f"{TELLS} text"),
    _result("provider/complete", "a list", [1], FAILED),
    _error("provider/complete", "an error", INVALID_PARAMS, FAILED),
    _result("tools/call", "a text", "text", f"{TELLS} text", dialect=Dialect.STDIO),
    _result("tools/call", "an object", {"any": 1}, f'{TELLS} {{"any": 1}}', dialect=Dialect.STDIO),
    _result("tools/call", "nothing", None, f"{TELLS} null", dialect=Dialect.STDIO),
    _error("tools/call", "an error", INVALID_PARAMS, FAILED, dialect=Dialect.STDIO),
)


def _hooks(what: str, members: dict[str, Any], closed: str, opened: str) -> tuple[AnswerCase, ...]:
    """Return an answer at a point that fails closed, and at one that does not."""
    return tuple(
        AnswerCase(method="hook", what=what, members=members, becomes=becomes, point=point)
        for point, becomes in (("tool_call", closed), ("input", opened))
    )


def _stdio_hooks(what: str, result: Any, closed: str, opened: str) -> tuple[AnswerCase, ...]:
    return tuple(
        AnswerCase(
            method=f"hooks/{name}",
            what=what,
            members={"result": result},
            becomes=becomes,
            point=point,
            dialect=Dialect.STDIO,
        )
        for name, point, becomes in (
            ("before_tool_call", "tool_call", closed),
            ("before_message", "input", opened),
        )
    )


_PATCH = {"text": "changed"}

OUTCOMES = (
    *_hooks("continue", {"result": {"action": "continue"}}, PASSES, PASSES),
    *_hooks("block", {"result": {"action": "block", "reason": "no"}}, FORBIDS, FORBIDS),
    *_hooks("block without a reason", {"result": {"action": "block"}}, FORBIDS, FORBIDS),
    # What is no own tool's is never changed.
    *_hooks("modify", {"result": {"action": "modify", "patch": _PATCH}}, PASSES, CHANGES),
    *_hooks("modify without a patch", {"result": {"action": "modify"}}, FORBIDS, PASSES),
    *_hooks("an action that there is not", {"result": {"action": "dance"}}, FORBIDS, PASSES),
    *_hooks("no action", {"result": {}}, FORBIDS, PASSES),
    *_hooks("nothing", {"result": None}, FORBIDS, PASSES),
    *_hooks("the error `blocked`", {"error": {"code": BLOCKED, "message": "no"}}, FORBIDS, FORBIDS),
    *_hooks("another error", {"error": {"code": INVALID_PARAMS, "message": "no"}}, FORBIDS, PASSES),
    *_stdio_hooks("nothing", None, PASSES, PASSES),
    *_stdio_hooks("an empty object", {}, PASSES, PASSES),
    *_stdio_hooks("allow", {"decision": "allow"}, PASSES, PASSES),
    *_stdio_hooks("block", {"decision": "block", "reason": "no"}, FORBIDS, FORBIDS),
    *_stdio_hooks("abort", {"abort": True, "reason": "no"}, FORBIDS, FORBIDS),
    *_stdio_hooks("override", {"abort": False, "override": _PATCH}, PASSES, CHANGES),
    *_stdio_hooks("a decision that there is not", {"decision": "dance"}, FORBIDS, PASSES),
    *_stdio_hooks("a text", "block", FORBIDS, PASSES),
)
