"""Tests a plugin without any host: in this very process, and over the real words of the wire.

    from papercup_plugin.testing import create_test_host

    def test_a_cleared_list_is_empty() -> None:
        with create_test_host(todo.plugin, ui=[True]) as host:
            host.call_tool("add", item="milk")
            assert host.run_command("clear") == "Cleared."
            assert host.kv == {"items": []}

Each method waits for the plugin's answer. The functions of the plugin run as they do elsewhere, in
threads and an event loop of their own, so that a test may be `async` or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papercup_plugin.facts import PROTOCOL_VERSION
from papercup_plugin.testing.host import TestHost
from papercup_plugin.testing.pending import Answered, AnswerError, Pending
from papercup_plugin.testing.services import NO_ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from papercup_plugin.plugin import Plugin
    from papercup_plugin.testing.services import Runs, UiAnswers

__all__ = ["NO_ANSWER", "AnswerError", "Answered", "Pending", "TestHost", "create_test_host"]

ALL_KINDS = ("select", "confirm", "input", "notify", "set_status", "set_widget", "set_title")


def create_test_host(
    plugin: Plugin,
    *,
    ui: UiAnswers = (),
    kv: Mapping[str, Any] | None = None,
    runs: Runs | None = None,
    session_state: Mapping[str, Any] | None = None,
    flags: Mapping[str, Any] | None = None,
    refused: Iterable[str] = (),
    ui_kinds: Iterable[str] = ALL_KINDS,
    workspace_root: str = "/workspace",
    session_id: str | None = None,
) -> TestHost:
    """Return a host for a plugin; it starts the plugin when it is entered as a context manager.

    What the plugin asks for is looked at, and refused, as Papercup does.

    Args:
        plugin: The plugin.
        ui: What people answer, one after the other: a text, `True`, `False`, or `None` if nobody
            does; or a function that is given the request and returns that. Beyond it, nobody does.
        kv: What is kept for the plugin already.
        runs: Is given a list, the program and its arguments, and returns the `ExecResult`; without
            it, the host refuses to run anything.
        session_state: What `ctx.session.state()` returns.
        flags: The flags that the operator set.
        refused: What the manifest does not declare: `ui`, `exec`, `kv`, `bus`, `session`.
        ui_kinds: What people can be asked and shown.
        workspace_root: Where the plugin works.
        session_id: Of the session.
    """
    lacking = frozenset(refused)
    greeting: dict[str, Any] = {
        "protocol_version": PROTOCOL_VERSION,
        "host": {"name": "test", "version": "1"},
        "workspace": {"root": workspace_root, "trusted": True},
        "mode": "widget",
        "ui_capabilities": [] if "ui" in lacking else [*ui_kinds],
        "flags": dict(flags or {}),
    }
    if session_id is not None:
        greeting["session"] = {"id": session_id}
    return TestHost(
        plugin,
        greeting=greeting,
        ui=ui,
        kv=dict(kv or {}),
        runs=runs,
        session_state=dict(session_state or {}),
        refused=lacking,
    )
