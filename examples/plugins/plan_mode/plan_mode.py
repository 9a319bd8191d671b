#!/usr/bin/env python3
"""Lets models read and plan, but change nothing, while that is switched on: with the SDK."""

from collections.abc import Mapping
from typing import Any

from papercup_plugin import Block, Context, HookResult, Plugin, block, render

plugin = Plugin("plan_mode", version="1.0.0")
plugin.flag("plan", default=False)
plugin.shortcut("ctrl+p", "plan", description="Plan mode")

READING = {"Read", "Glob", "Grep", "WebFetch", "WebSearch", "TodoWrite", "check_extension"}
STATES = {"on": True, "off": False}


@plugin.command("plan", description="/plan on, /plan off, /plan to change it", complete=STATES)
def plan(written: str, ctx: Context) -> str:
    """Switch it, for this session."""
    session = ctx.session.state().get("session_id")
    on = STATES.get(written.strip().lower(), not is_on(session, ctx))
    ctx.kv.set(f"on/{session}", on)
    ctx.session.append_entry({"kind": "plan_mode", "enabled": on})
    if ctx.has_ui("set_widget"):
        ctx.ui.set_widget(drawn(on=on))
    return "Now they only plan." if on else "Now they may change things again."


@plugin.hook("tool_call")
def gate(call: Mapping[str, Any], ctx: Context) -> HookResult:
    """Forbid all that is not known to change nothing, while it is on."""
    tool = call.get("tool")
    if tool in READING or not is_on(call.get("session_id"), ctx):
        return None
    return block(f"plan mode is on, so {tool} is not used: say what you would do with it")


@plugin.on("session_start")
def opened(event: Mapping[str, Any], ctx: Context) -> None:
    """Remind people that it is on."""
    if is_on(event.get("session_id"), ctx) and ctx.has_ui("set_widget"):
        ctx.ui.set_widget(drawn(on=True))


def is_on(session: Any, ctx: Context) -> bool:
    """Say whether it is on in a session; where nobody has said, the flag does."""
    return bool(ctx.kv.get(f"on/{session}", ctx.flags["plan"]))


def drawn(*, on: bool) -> Block:
    """Return what people see of it."""
    state = "on: nothing is changed" if on else "off"
    return render.keyvalue({"status": state}, title="Plan mode", text=f"Plan mode: {state}")


if __name__ == "__main__":
    plugin.run()
