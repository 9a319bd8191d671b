"""The settings by which `claude` asks the bot before it does something. Pure."""

import json
import shlex
from collections.abc import Sequence
from typing import Any

CLOSED_SECONDS = 170.0
"""How long plugins may take to say whether a tool may be used; then it may not."""
OPEN_SECONDS = 30.0
"""How long they may take to say anything else; then Claude goes on."""

_SPARE_SECONDS = 10
"""Claude's own time limits are longer: when they are over, it does what it was about to do."""


def hook_settings(relay: Sequence[str], *, own_server: str) -> str:
    """Return the settings, as JSON, by which the program `hook_relay` answers Claude's hooks.

    Args:
        relay: The command that runs that program, without its arguments.
        own_server: The name of the bot's MCP server: of its tools it asks the plugins itself.
    """
    others_tools = f"^(?!mcp__{own_server}__)"
    # Of a hook that is killed or cannot be started, Claude takes no notice.
    closed = f"{shlex.join([*relay, 'closed', f'{CLOSED_SECONDS:g}'])} || exit 2"
    opened = shlex.join([*relay, "open", f"{OPEN_SECONDS:g}"])
    hooks = {
        "PreToolUse": [_entry(closed, CLOSED_SECONDS, matcher=others_tools)],
        "PostToolUse": [_entry(opened, OPEN_SECONDS, matcher=others_tools)],
        "PostToolUseFailure": [_entry(opened, OPEN_SECONDS, matcher=others_tools)],
        "PostToolBatch": [_entry(opened, OPEN_SECONDS, waits=False)],
        "PreCompact": [_entry(opened, OPEN_SECONDS)],
        "PostCompact": [_entry(opened, OPEN_SECONDS, waits=False)],
    }
    return json.dumps({"hooks": hooks})


def _entry(
    command: str, seconds: float, *, matcher: str | None = None, waits: bool = True
) -> dict[str, Any]:
    hook = {"type": "command", "command": command, "timeout": int(seconds) + _SPARE_SECONDS}
    entry: dict[str, Any] = {"hooks": [hook if waits else {**hook, "async": True}]}
    return entry if matcher is None else {"matcher": matcher, **entry}
