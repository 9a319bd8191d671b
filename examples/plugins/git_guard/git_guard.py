#!/usr/bin/env python3
"""Asks before git throws work away, and forbids to rewrite what others have, with the SDK."""

import re
from collections.abc import Mapping
from typing import Any

from papercup_plugin import Context, HookResult, HostError, Plugin, block

plugin = Plugin("git_guard", version="1.0.0")

REWRITES = re.compile(
    r"\bgit\b[^;|&]*\bpush\b[^;|&]*\s(-\w*f|--force\b(?!-with-lease)|--mirror\b|\+\S)"
)
LOSES = re.compile(
    r"\bgit\b[^;|&]*\b(reset\b[^;|&]*--hard|clean\b[^;|&]*-\w*f|checkout\b[^;|&]*\s(--|\.)(\s|$)"
    r"|(checkout|switch)\b[^;|&]*\s(-f\b|--force\b|--discard-changes\b)"
    r"|push\b[^;|&]*\s(-d\b|--delete\b|:\S)"
    r"|restore\b|stash\s+(drop|clear)|branch\b[^;|&]*\s-D\b)"
)
"""They find mistakes, not malice: what confines a command is the jail."""
MOST_LINES = 10
LONGEST_SHOWN = 700
MOST_LINES_SHOWN = 19
"""Of a longer question the host shows only the beginning."""


@plugin.hook("tool_call")
def guard(call: Mapping[str, Any], ctx: Context) -> HookResult:
    """Look at a command of Bash's before it is run."""
    match call:
        case {"tool": "Bash", "arguments": {"command": str(command)}}:
            pass
        case _:
            return None
    if REWRITES.search(command):
        return block("others may have what that would rewrite; use --force-with-lease, or ask")
    if not LOSES.search(command):
        return None
    if len(command) > LONGEST_SHOWN or len(command.splitlines()) > MOST_LINES_SHOWN:
        return block("it may lose work, and is too long to be shown to a person; split it up")
    if ctx.ui.confirm(f"This may lose work. May it be run?\n{command}\n{changes(ctx)}".strip()):
        return None
    return block("a person said no, or nobody answered; commit or stash the work first")


def changes(ctx: Context) -> str:
    """Return what is not committed yet, if the host may find it out."""
    try:
        status = ctx.exec("git", ["status", "--short"], timeout_seconds=10)
    except HostError:
        # The operator has not granted that programs are run: people are asked all the same.
        return ""
    lines = status.stdout.splitlines() if status.exit_code == 0 else []
    more = [f"… and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    return "\n".join([*lines[:MOST_LINES], *more])


if __name__ == "__main__":
    plugin.run()
