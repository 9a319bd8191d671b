#!/usr/bin/env python3
"""Has the speaker talk like a pirate: a hook that adds to what it is told, with the SDK."""

from collections.abc import Mapping
from typing import Any

from papercup_plugin import Context, HookResult, Plugin, modify

plugin = Plugin("prompt_rewriter", version="1.0.0")

NOTE = "Answer as a pirate would, but keep all facts as they are."
STATES = {"on": True, "off": False}


@plugin.hook("before_agent_start")
def rewrite(turn: Mapping[str, Any], ctx: Context) -> HookResult:
    """Tell the speaker before it answers, if the session wants it."""
    if not ctx.kv.get(f"pirate/{turn.get('session_id')}", default=False):
        return None
    return modify(system_prompt=f"{turn.get('system_prompt', '')}\n{NOTE}".strip())


@plugin.command("pirate", description="/pirate on, /pirate off", complete=STATES)
def switch(written: str, ctx: Context) -> str:
    """Switch it on or off for this session."""
    session = ctx.session.state().get("session_id")
    wanted = STATES.get(written.strip())
    if wanted is None:
        return "It is /pirate on, or /pirate off."
    ctx.kv.set(f"pirate/{session}", wanted)
    return "Arr! From now on." if wanted else "As you like. No more of that."


if __name__ == "__main__":
    plugin.run()
