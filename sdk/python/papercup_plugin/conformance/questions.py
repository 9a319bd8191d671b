"""What a plugin is asked in a test, in the words of its dialect. Pure."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from papercup_plugin.conformance import sep_frames, stdio_frames
from papercup_plugin.conformance.arguments import fitting
from papercup_plugin.conformance.hook_values import STDIO_VALUES, VALUES
from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.conformance.offers import Offers
from papercup_plugin.conformance.sep_questions import UI_KINDS
from papercup_plugin.conformance.subject import GRANTS, Subject

PROTOCOL_VERSION = 1
_UNKNOWN = "nobody-has-this"
_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request."""

    method: str
    params: dict[str, Any]
    about: str
    """What it is for, in words."""
    hook: str = ""
    """Which hook it asks, if any."""


class Questions:
    """Makes what a plugin is asked."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self.is_sep = subject.dialect is Dialect.SEP

    def frame(self, method: str, part: str) -> str:
        """Return what a part of a method of the host's is called in FRAMES."""
        return f"{self._subject.dialect} host {method} {part}"

    def greeting(self, version: int = PROTOCOL_VERSION) -> Question:
        """Return the first question."""
        params: dict[str, Any]
        if not self.is_sep:
            params = {"agent_version": "1.0.0", "extension_id": self._subject.name}
        else:
            declared = self._subject.declares
            params = {
                "protocol_version": version,
                "host": {"name": "papercup", "version": "1.0.0"},
                "workspace": {"root": str(self._subject.folder), "trusted": True},
                "mode": "widget",
                "ui_capabilities": [*UI_KINDS] if "ui" in declared else [],
                "flags": {},
                "capabilities_enabled": {name: name in declared for name in GRANTS},
            }
        return Question(method="initialize", params=params, about="the handshake")

    def ping(self) -> Question:
        """Return what every plugin answers at once."""
        method = "ping" if self.is_sep else "tools/list"
        return Question(method=method, params={}, about=f"`{method}`")

    def farewell(self) -> Question:
        """Return what it is told before it is ended."""
        params = {} if self.is_sep else {"reason": "stop"}
        return Question(method="shutdown", params=params, about="`shutdown`")

    def tool(self, name: str, arguments: Any) -> Question:
        """Return the use of a tool."""
        about = f"the use of the tool `{name}`"
        if not self.is_sep:
            params = {"name": name, "arguments": arguments}
            return Question(method="tools/call", params=params, about=about)
        params = {"call_id": f"call-{next(_NUMBERS)}", "tool": name, "arguments": arguments}
        return self._in_context("tool/execute", params, "event", about)

    def command(self, name: str, raw: str) -> Question:
        """Return the run of a command."""
        params = {"command": name, "arguments": {"args": raw}}
        return self._in_context("command/execute", params, "command", f"`/{name} {raw}`".strip())

    def completion(self, name: str, partial: str) -> Question:
        """Return what asks for completions."""
        about = f"the completion of `/{name} {partial}`"
        params = {"command": name, "partial": partial}
        return self._in_context("command/complete", params, "event", about)

    def hook(self, name: str, value: Mapping[str, Any]) -> Question:
        """Return what asks at a point."""
        about = f"the hook `{name}`"
        if not self.is_sep:
            return Question(method=f"hooks/{name}", params=dict(value), about=about, hook=name)
        params = {"hook": name, "input": dict(value), "context": context("command")}
        return Question(method="hook", params=params, about=about, hook=name)

    def provider(self, name: str, model: str) -> Question:
        """Return what asks a model."""
        params = {
            "request_id": f"request-{next(_NUMBERS)}",
            "provider": name,
            "model": model,
            "messages": [{"role": "user", "content": "Say hello."}],
            "stream": True,
        }
        about = f"the model `{model}` of `{name}`"
        return self._in_context("provider/complete", params, "event", about)

    def event(self, name: str, seq: int, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of an event."""
        return {"event": name, "seq": seq, "context": context("event"), "payload": dict(payload)}

    def hooks_to_ask(self, offers: Offers) -> Iterator[Question]:
        """Yield a question at each point where it has a say."""
        known = sep_frames.HOOKS if self.is_sep else stdio_frames.HOOKS
        values = VALUES if self.is_sep else STDIO_VALUES
        for name in known:
            if offers.hooks is None or name in offers.hooks:
                yield from (self.hook(name, value) for value in values[name])

    def uses(self, offers: Offers) -> Iterator[Question]:
        """Yield a use of everything that it offers."""
        for tool in offers.tools:
            yield self.tool(tool.name, fitting(tool.schema))
        for name in offers.commands:
            yield from (self.command(name, raw) for raw in ("", "text"))
        yield from self.hooks_to_ask(offers)

    def unknown(self) -> Iterator[Question]:
        """Yield uses of what nobody offers."""
        yield self.tool(_UNKNOWN, {})
        if self.is_sep:
            yield self.command(_UNKNOWN, "")

    def _in_context(self, method: str, params: dict[str, Any], tier: str, about: str) -> Question:
        return Question(method=method, params={**params, "context": context(tier)}, about=about)


def context(tier: str) -> dict[str, str]:
    """Return a context of that tier."""
    return {"token": f"{tier}-token", "tier": tier}
