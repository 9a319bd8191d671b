#!/usr/bin/env python3
"""Offers tools that nobody knew of when it was started: two ways to come by them, with the SDK."""

import re
from typing import Annotated

from papercup_plugin import Context, Plugin, RefusedError, ToolResult

plugin = Plugin("dynamic_tools", version="1.0.0")

NAME = re.compile(r"[a-z][a-z0-9_]{0,29}")
MOST_TOOLS = 20
offered: set[str] = set()


@plugin.on("session_start")
def opened() -> None:
    """Offer the first one once somebody is there to use it."""
    offer("echo_session")


@plugin.command("add-echo-tool", description="Offers models one more tool: /add-echo-tool parrot")
def add_echo_tool(written: str, ctx: Context) -> None:
    """Offer one of that name."""
    name = written.strip().lower()
    if NAME.fullmatch(name) is None:
        raise RefusedError("a name is such as parrot_2: small letters, digits and _")
    if len(offered) >= MOST_TOOLS:
        raise RefusedError(f"{MOST_TOOLS} tools are the most")
    if offer(name):
        ctx.ui.notify(f"Models have the tool {name} now.")
    else:
        ctx.ui.notify(f"They have a tool {name} already.", "warn")


def offer(name: str) -> bool:
    """Offer models a tool, and say whether it is a new one."""
    if name in offered:
        return False
    offered.add(name)

    @plugin.tool(name=name, description=f"Says a text back, with [{name}] before it.")
    def echo(message: Annotated[str, "What is said back."]) -> ToolResult:
        return ToolResult(f"[{name}] {message}", details={"tool": name})

    return True


if __name__ == "__main__":
    plugin.run()
