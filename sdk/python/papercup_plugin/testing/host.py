"""A host for one plugin, in the same process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self

from papercup_plugin.framing import encoded
from papercup_plugin.hooks import Outcome
from papercup_plugin.json_values import as_text
from papercup_plugin.models import Completion, Credentials, ToolCall
from papercup_plugin.results import CompletionItem, ToolResult
from papercup_plugin.serving import Serving
from papercup_plugin.testing.pending import USUAL_SECONDS, Answered, Pending
from papercup_plugin.testing.services import NO_ANSWER, HostServices, ServiceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from papercup_plugin.plugin import Plugin
    from papercup_plugin.shapes import HookName


class TestHost(HostServices):
    """A host for one plugin. What the plugin asked of it stands in its attributes."""

    __test__ = False
    """For pytest, which would take it for a test."""

    def __init__(self, plugin: Plugin, *, greeting: dict[str, Any], **services: Any) -> None:
        """Make it; `create_test_host` says what with."""
        super().__init__(**services)
        self._greeting = greeting
        self._pending: dict[int, Pending] = {}
        self._last = 0
        self._serving = Serving(plugin.declared, self._take)

    def __enter__(self) -> Self:
        """Start the plugin."""
        self.initialize()
        return self

    def __exit__(self, *_exception: object) -> None:
        """End it."""
        self.close()

    def initialize(self) -> dict[str, Any]:
        """Start the plugin, and return what it offers."""
        result = self.ask("initialize", self._greeting)
        self.registrations = result.get("registrations", {})
        return self.registrations

    def call_tool(
        self, name: str, arguments: Mapping[str, Any] | None = None, /, **named: Any
    ) -> ToolResult:
        """Use a tool, with arguments in a mapping or by name."""
        result = self.start_tool(name, arguments, **named).result()
        return ToolResult(result["content"], result.get("is_error", False), result.get("details"))

    def start_tool(
        self, name: str, arguments: Mapping[str, Any] | None = None, /, **named: Any
    ) -> Pending:
        """Begin to use a tool, and do not wait for it."""
        params: dict[str, Any] = {"call_id": f"call-{self._last + 1}", "tool": name}
        params["arguments"] = {**(arguments or {}), **named}
        return self.start("tool/execute", {**params, "context": self.context("event")})

    def call_hook(self, name: HookName, event: Mapping[str, Any] | None = None) -> Outcome:
        """Ask at a point, and return what the plugin wants."""
        params = {"hook": name, "context": self.context("command"), "input": dict(event or {})}
        result = self.ask("hook", params)
        return Outcome(result["action"], result.get("reason"), result.get("patch", {}))

    def run_command(self, name: str, args: str = "") -> str | None:
        """Run a command, and return what people are told."""
        params = {"command": name, "arguments": {"args": args}}
        result = self.ask("command/execute", {**params, "context": self.context("command")})
        return as_text(result.get("content"))

    def complete_command(self, name: str, partial: str = "") -> list[CompletionItem]:
        """Return what the argument of a command may be completed to."""
        params = {"command": name, "partial": partial, "context": self.context("event")}
        result = self.ask("command/complete", params)
        return [CompletionItem(**each) for each in result["completions"]]

    def ping(self) -> None:
        """See whether the plugin answers."""
        self.ask("ping", {})

    def send_event(self, name: str, payload: Mapping[str, Any] | None = None) -> None:
        """Tell the plugin an event, asked for or not, and wait until it has seen to it.

        Raises:
            TimeoutError: If it takes too long.
        """
        params = {"event": name, "context": self.context("event"), "payload": dict(payload or {})}
        self._send({"method": "event", "params": params})
        if not self._serving.settled(USUAL_SECONDS):
            raise TimeoutError(f"the plugin did not see to {name} in {USUAL_SECONDS} s")

    def publish(self, topic: str, payload: Any, *, sender: str = "another") -> None:
        """Have another plugin say something on the bus."""
        self.send_event("bus/event", {"from": sender, "topic": topic, "payload": payload})

    def press_key(self, key: str, *, widget_id: str | None = None) -> None:
        """Have people press a key of a widget."""
        known = {} if widget_id is None else {"widget_id": widget_id}
        self.send_event("widget/key", {**known, "key": key})

    def complete(
        self,
        provider: str,
        model: str,
        messages: Iterable[Mapping[str, Any]] = (),
        *,
        stream: bool = True,
        **others: Any,
    ) -> Answered:
        """Have a provider answer."""
        request_id = f"request-{self._last + 1}"
        params = {"request_id": request_id, "provider": provider, "model": model, "stream": stream}
        result = self.ask("provider/complete", {**params, "messages": [*messages], **others})
        calls = tuple(ToolCall(**each) for each in result.pop("tool_calls", ()))
        return Answered(
            completion=Completion(**result, tool_calls=calls),
            deltas=tuple(self.deltas.pop(request_id, ())),
        )

    def oauth_login(self, provider: str) -> Credentials:
        """Have somebody log in to a provider."""
        return Credentials(**self.ask("provider/oauth_login", {"provider": provider}))

    def oauth_refresh(self, provider: str, refresh_token: str) -> Credentials:
        """Have credentials renewed."""
        params = {"provider": provider, "refresh_token": refresh_token}
        return Credentials(**self.ask("provider/oauth_refresh", params))

    def shutdown(self) -> None:
        """Tell the plugin to end, and wait until it has."""
        farewell = self.start("shutdown", {})
        self.close()
        farewell.result()

    def close(self) -> None:
        """End the plugin as if the host were gone."""
        if not self._serving.ended.is_set():
            self._serving.finish()

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Ask the plugin anything, and return its answer as it stands on the wire.

        Raises:
            AnswerError: If it is an error.
            TimeoutError: If there is none.
        """
        return self.start(method, params).result()

    def start(self, method: str, params: dict[str, Any]) -> Pending:
        """Ask the plugin anything, and do not wait for it."""
        self._last += 1
        number = self._last

        def cancel() -> None:
            self._send({"method": "$/cancel", "params": {"id": number}})

        pending = self._pending[number] = Pending(cancel, method)
        self._send({"id": number, "method": method, "params": params})
        return pending

    def context(self, tier: str) -> dict[str, str]:
        """Return a context of that tier: `event` or `command`."""
        return {"token": f"{tier}-token", "tier": tier}

    def _send(self, message: dict[str, Any]) -> None:
        self._serving.take(encoded(message).strip())

    def _take(self, line: bytes) -> None:
        """Take a line of the plugin's, in whichever thread it was written."""
        message = json.loads(line)
        number, params = message.get("id"), message.get("params", {})
        if "method" not in message:
            pending = self._pending.pop(number, None)
            if pending is not None:
                pending.take(message)
        elif number is None:
            self.told(message["method"], params)
        else:
            self._serve(number, message["method"], params)

    def _serve(self, number: int, method: str, params: dict[str, Any]) -> None:
        try:
            result = self.served(method, params)
        except ServiceError as error:
            self._send({"id": number, "error": {"code": error.code, "message": error.message}})
            return
        if result is not NO_ANSWER:
            self._send({"id": number, "result": result})
