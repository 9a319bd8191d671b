"""What is the same in both contexts: what needs no answer of the host."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from papercup_plugin.framing import plain

if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping

    from papercup_plugin.calls import Call
    from papercup_plugin.facts import Workspace
    from papercup_plugin.link import Link
    from papercup_plugin.shapes import LogLevel


class Log:
    """Writes to the host's log; nobody waits for it."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def trace(self, message: str, **fields: Any) -> None:
        """Write what hardly anybody wants to read."""
        self.write("trace", message, fields)

    def debug(self, message: str, **fields: Any) -> None:
        """Write what helps to find a fault."""
        self.write("debug", message, fields)

    def info(self, message: str, **fields: Any) -> None:
        """Write what is good to know."""
        self.write("info", message, fields)

    def warn(self, message: str, **fields: Any) -> None:
        """Write what should not be."""
        self.write("warn", message, fields)

    warning = warn

    def error(self, message: str, **fields: Any) -> None:
        """Write what went wrong."""
        self.write("error", message, fields)

    def write(self, level: LogLevel, message: str, fields: Mapping[str, Any]) -> None:
        """Write one line."""
        params: dict[str, Any] = {"level": level, "message": str(message)}
        if fields:
            params["fields"] = {name: _loggable(value) for name, value in fields.items()}
        self._link.tell("log", params)


class Bus:
    """Reaches the other plugins."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def publish(self, topic: str, payload: Mapping[str, Any]) -> None:
        """Tell all other plugins that listen to that topic."""
        self._link.tell("bus/publish", {"topic": topic, "payload": dict(payload)})


def _loggable(value: Any) -> Any:
    """Return what can be sent of a value: to write to the log is no reason to fail."""
    try:
        json.dumps(value, default=plain, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
    return value


class BaseContext:
    """On whose behalf the plugin is at work, and with what."""

    def __init__(self, call: Call) -> None:
        self.call = call
        """For this package alone."""
        self.log = Log(call.link)
        """The host's log."""
        self.bus = Bus(call.link)
        """The other plugins."""

    @property
    def call_id(self) -> str | None:
        """What this use of a tool is known by; `None` outside tools."""
        return self.call.call_id

    @property
    def event(self) -> str | None:
        """The name of the event or hook; `None` outside them."""
        return self.call.event

    @property
    def session_id(self) -> str | None:
        """The session for which it works, if the host says so."""
        return self.call.session_id

    @property
    def workspace(self) -> Workspace:
        """Where the plugin works: `root` is the folder, `trusted` whether people trust it."""
        return self.call.facts.workspace

    @property
    def cwd(self) -> str:
        """The folder of the workspace."""
        return self.call.facts.workspace.root

    @property
    def mode(self) -> str:
        """In what people see the plugin: `tui`, `web`, `widget`, `cli` or `headless`."""
        return self.call.facts.mode

    @property
    def flags(self) -> Mapping[str, Any]:
        """The plugin's flags, as the operator set them, else as the plugin did."""
        return self.call.facts.flags

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self.call.is_cancelled

    @property
    def signal(self) -> threading.Event:
        """Set when nobody waits any more: `ctx.signal.wait(seconds)` sleeps until then."""
        return self.call.signal

    def raise_if_cancelled(self) -> None:
        """End the call here if nobody waits for its answer any more."""
        self.call.raise_if_cancelled()

    def has_ui(self, kind: str | None = None) -> bool:
        """Say whether people can be reached, or shown and asked what is of that kind.

        Args:
            kind: `select`, `confirm`, `input`, `notify`, `set_status`, `set_widget`, `set_title`.
        """
        return self.call.facts.has_ui(kind)

    def on_update(
        self, message: str | None = None, *, progress: float | None = None, details: Any = None
    ) -> None:
        """Tell how far the use of a tool has come; outside tools, nobody is told.

        Args:
            message: One line for people.
            progress: From 0 to 1; what lies beyond counts as the end.
            details: Anything else that can be drawn.
        """
        if self.call_id is None or self.cancelled:
            return
        share = None if progress is None else min(max(progress, 0.0), 1.0)
        given = {"message": message, "progress": share, "details": details}
        told = {name: value for name, value in given.items() if value is not None}
        self.call.link.tell("tool/update", {"call_id": self.call_id, **told})

    def progress(self, value: float, message: str | None = None) -> None:
        """Tell how far the use of a tool has come, from 0 to 1."""
        self.on_update(message, progress=value)
