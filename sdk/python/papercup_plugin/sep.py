"""The words of the wire `sep`, in which both sides ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from papercup_plugin.calls import Call
from papercup_plugin.errors import BadArgumentsError
from papercup_plugin.facts import PROTOCOL_VERSION
from papercup_plugin.json_values import as_object, as_text, named
from papercup_plugin.records import Record

if TYPE_CHECKING:
    from papercup_plugin.declared import Declared
    from papercup_plugin.functions import Functions
    from papercup_plugin.hooks import Outcome

Method: TypeAlias = Callable[[Mapping[str, Any], Call], Any]
"""Answers a request; it may wait."""


class Marks(Record):
    """What marks a request or an event."""

    context: dict[str, Any] | None = None
    call_id: str | None = None
    event: str | None = None
    session_id: str | None = None


class SepWire:
    """Speaks that wire format."""

    def __init__(self, declared: Declared, functions: Functions) -> None:
        self._declared = declared
        self._functions = functions
        self.methods: Mapping[str, Method] = {
            "tool/execute": self._use_tool,
            "command/execute": self._run_command,
            "command/complete": self._complete_command,
            "hook": self._ask_hooks,
            "provider/complete": self._complete,
            "provider/oauth_login": self._log_in,
            "provider/oauth_refresh": self._refresh,
        }

    def method(self, name: str) -> Method | None:
        """Return what answers a request of that name."""
        return self.methods.get(name)

    def greeting(self) -> dict[str, Any]:
        """Return the answer to `initialize`; raises TypeError if a tool cannot be described."""
        return {
            "protocol_version": PROTOCOL_VERSION,
            "extension": {"name": self._declared.name, "version": self._declared.version},
            "registrations": self._declared.registrations(),
        }

    def marks(self, method: str, params: Mapping[str, Any]) -> Marks:
        """Return what marks a request or an event."""
        about = as_object(params.get("input" if method == "hook" else "payload")) or {}
        return Marks(
            context=as_object(params.get("context")),
            call_id=as_text(params.get("call_id")),
            event=as_text(params.get(method)),
            session_id=as_text(about.get("session_id")),
        )

    def _use_tool(self, params: Mapping[str, Any], call: Call) -> Any:
        result = self._functions.use_tool(text(params, "tool"), params.get("arguments"), call)
        return named(
            content=result.content,
            is_error=True if result.is_error else None,
            details=result.details,
        )

    def _run_command(self, params: Mapping[str, Any], call: Call) -> Any:
        raw = (as_object(params.get("arguments")) or {}).get("args")
        said = self._functions.run_command(text(params, "command"), str(raw or ""), call)
        return named(content=said)

    def _complete_command(self, params: Mapping[str, Any], call: Call) -> Any:
        partial = str(params.get("partial") or "")
        found = self._functions.complete_command(text(params, "command"), partial, call)
        return {"completions": [named(**each.parts()) for each in found]}

    def _ask_hooks(self, params: Mapping[str, Any], call: Call) -> Any:
        event = as_object(params.get("input")) or {}
        return written_outcome(self._functions.ask_hooks(text(params, "hook"), event, call))

    def _complete(self, params: Mapping[str, Any], call: Call) -> Any:
        from papercup_plugin import models  # noqa: PLC0415 - few need it

        request_id = text(params, "request_id")

        def send(delta: models.Delta) -> None:
            call.link.tell("provider/delta", {"request_id": request_id, "event": delta})

        request = models.CompletionRequest(
            provider=text(params, "provider"),
            model=text(params, "model"),
            messages=params.get("messages") or [],
            tools=params.get("tools") or [],
            stream=params.get("stream") is True,
            response_format=params.get("response_format"),
            thinking=params.get("thinking"),
        )
        return models.written_completion(self._functions.complete(request, call, send))

    def _log_in(self, params: Mapping[str, Any], call: Call) -> Any:
        return self._functions.log_in(text(params, "provider"), call)

    def _refresh(self, params: Mapping[str, Any], call: Call) -> Any:
        token = text(params, "refresh_token")
        return self._functions.refresh(text(params, "provider"), token, call)


def written_outcome(outcome: Outcome) -> dict[str, Any]:
    """Return what a hook wants as it is sent."""
    match outcome.action:
        case "continue":
            return {"action": "continue"}
        case "block":
            return named(action="block", reason=outcome.reason)
        case "modify":
            return {"action": "modify", "patch": dict(outcome.patch)}


def text(params: Mapping[str, Any], name: str) -> str:
    """Return a text that has to be there.

    Raises:
        BadArgumentsError: If it is not.
    """
    found = params.get(name)
    if not isinstance(found, str):
        raise BadArgumentsError(f"`{name}` has to be a text")
    return found
