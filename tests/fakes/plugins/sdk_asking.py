"""A plugin that asks its host for everything, and tells what came of it."""

import json
from collections.abc import Callable
from typing import Any

from papercup_plugin import Context, Plugin, PluginError, RefusedError

plugin = Plugin("asking", version="1.0.0")

Question = Callable[[Context], Any]

QUESTIONS: dict[str, Question] = {
    "has_ui": lambda ctx: [ctx.has_ui(), ctx.has_ui("confirm"), ctx.has_ui("no such")],
    "known": lambda ctx: [ctx.mode, ctx.workspace.trusted, ctx.session_id, dict(ctx.flags)],
    "select": lambda ctx: ctx.ui.select("?", ["a", "b"]),
    "select of nothing": lambda ctx: ctx.ui.select("?", []),
    "select of numbers": lambda ctx: ctx.ui.select("?", [1]),  # type: ignore[list-item]
    "confirm of nothing": lambda ctx: ctx.ui.confirm(None),  # type: ignore[arg-type]
    "confirm of a number": lambda ctx: ctx.ui.confirm(7),  # type: ignore[arg-type]
    "confirm": lambda ctx: ctx.ui.confirm("?"),
    "input": lambda ctx: ctx.ui.input("?", "x"),
    "notify": lambda ctx: ctx.ui.notify("!", "warn"),
    "notify badly": lambda ctx: ctx.ui.notify("!", "loud"),  # type: ignore[arg-type]
    "set_status": lambda ctx: ctx.ui.set_status("s"),
    "set_title": lambda ctx: ctx.ui.set_title("t"),
    "set_widget": lambda ctx: ctx.ui.set_widget({"kind": "markdown", "text": "*t*"}),
    "kv.set": lambda ctx: ctx.kv.set("b", {"n": [1, None]}),
    "kv.get": lambda ctx: ctx.kv.get("b"),
    "kv.get of nothing": lambda ctx: ctx.kv.get("none", "default"),
    "kv.list": lambda ctx: ctx.kv.list(),
    "kv.delete": lambda ctx: ctx.kv.delete("b"),
    "kv.list of nothing": lambda ctx: ctx.kv.list("b"),
    "kv.set without a key": lambda ctx: ctx.kv.set("", 1),
    "kv.set with a long key": lambda ctx: ctx.kv.set("k" * 257, 1),
    "kv.set of much": lambda ctx: ctx.kv.set("k", "x" * 1024 * 1024),
    "send_message": lambda ctx: ctx.session.send_message("posted"),
    "send_message of nothing": lambda ctx: ctx.session.send_message(" "),
    "send_message of much": lambda ctx: ctx.session.send_message("x" * 32_001),
    "send_message as nobody": lambda ctx: ctx.session.send_message("x", "nobody"),  # type: ignore[arg-type]
    "send_user_message": lambda ctx: ctx.session.send_user_message("said", "steer"),
    "send_user_message never": lambda ctx: ctx.session.send_user_message("said", "never"),  # type: ignore[arg-type]
    "append_entry": lambda ctx: ctx.session.append_entry({"n": 1}),
    "set_model": lambda ctx: ctx.session.set_model("opus", thinking="high"),
    "set_model to nothing": lambda ctx: ctx.session.set_model(""),
    "state": lambda ctx: ctx.session.state(),
    "exec": lambda ctx: ctx.exec("git", ["status"]).parts(),
    "exec of nothing": lambda ctx: ctx.exec("").parts(),
    "set_active_tools": lambda ctx: ctx.set_active_tools(["ask", "Bash", "ask"]),
    "publish": lambda ctx: ctx.bus.publish("news", {"n": 1}),
    "log": lambda ctx: ctx.log.info("logged", at=object),
}


def asked(ctx: Context) -> str:
    """Return what came of each question."""
    came: dict[str, Any] = {}
    for name, ask in QUESTIONS.items():
        try:
            came[name] = ask(ctx)
        except PluginError as error:
            came[name] = f"{type(error).__name__}: {error}"
    return json.dumps(came)


@plugin.tool
def ask(ctx: Context) -> str:
    """Ask everything."""
    return asked(ctx)


@plugin.tool
def refuse() -> None:
    """Refuse."""
    raise RefusedError("not that")


@plugin.tool
def fail(count: int) -> None:
    """Fail."""
    raise ValueError(count)


@plugin.command("ask")
def ask_in_command(ctx: Context) -> str:
    """Ask everything."""
    return asked(ctx)


@plugin.command(complete=["one", ("only", "the other"), "two"])
def quiet() -> None:
    """Say nothing."""


if __name__ == "__main__":
    plugin.run()
