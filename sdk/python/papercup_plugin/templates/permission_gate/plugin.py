#!/usr/bin/env python3
"""Asks people before files are removed: a hook that stops tools."""

import re
from collections.abc import Mapping
from typing import Any

from papercup_plugin import Context, HookResult, Plugin, block

plugin = Plugin("plugin_name", version="0.1.0")

# It finds mistakes, not malice: what confines a command is the jail.
REMOVES = re.compile(r"\b(rm|rmdir|shred|unlink)\b")
# Of a longer question the host shows only the beginning: nobody says yes to what they do not see.
LONGEST_SHOWN = 700
MOST_LINES_SHOWN = 19


@plugin.hook("tool_call")
def ask_before_removing(call: Mapping[str, Any], ctx: Context) -> HookResult:
    """Ask about commands that look as if they remove something."""
    match call:
        case {"tool": "Bash", "arguments": {"command": str(command)}} if REMOVES.search(command):
            pass
        case _:
            return None
    if not ctx.has_ui("confirm"):
        return block("it removes files, and nobody can be asked here")
    if len(command) > LONGEST_SHOWN or len(command.splitlines()) > MOST_LINES_SHOWN:
        return block("it removes files, and is too long to be shown to a person; split it up")
    if ctx.ui.confirm(f"May this be run?\n{command}"):
        return None
    return block("a person said no, or nobody answered")


if __name__ == "__main__":
    plugin.run()
