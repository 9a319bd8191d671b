#!/usr/bin/env python3
"""Shows how many turns a session has had, in one line that is edited: events, with the SDK."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from papercup_plugin import Context, Plugin

plugin = Plugin("status_line", version="1.0.0")

turns = Counter[str | None]()
"""Of each session, since it was opened: one program serves all of them."""


@plugin.on("session_start")
def opened(_event: Mapping[str, Any], ctx: Context) -> None:
    """Begin to count."""
    turns[ctx.session_id] = 0
    ctx.ui.set_status("Ready")


@plugin.on("turn_start")
def began(_event: Mapping[str, Any], ctx: Context) -> None:
    """Say that it is being answered."""
    turns[ctx.session_id] += 1
    ctx.ui.set_status(f"● Turn {turns[ctx.session_id]} …")


@plugin.on("turn_end")
def ended(event: Mapping[str, Any], ctx: Context) -> None:
    """Say how it ended."""
    mark = "✓" if event.get("outcome") == "answered" else "✗"
    ctx.ui.set_status(f"{mark} Turn {turns[ctx.session_id]}: {event.get('outcome')}")


@plugin.on("session_shutdown")
def closed(_event: Mapping[str, Any], ctx: Context) -> None:
    """Forget a session that is over."""
    turns.pop(ctx.session_id, None)


if __name__ == "__main__":
    plugin.run()
