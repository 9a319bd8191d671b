"""What people are shown of a tool that a speaker uses. Pure."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from extensions.claude.command import MCP_SERVER
from extensions.jobs.tool_details import tool_detail

_LONGEST = 60
_OURS = f"mcp__{MCP_SERVER}__"
_OUR_NAMES: Mapping[str, str] = {
    "spawn_extension": "start a job",
    "check_extension": "look at a job",
    "list_extensions": "list the jobs",
    "wait_extension": "wait for a job",
    "cancel_extension": "cancel a job",
    "send_file": "send a file",
}
_TELLING = ("name", "id")
"""The arguments of our own tools that name what they are used on."""


def shown_name(tool: str) -> str:
    """Return the name of a tool for people: `Read`, `start a job`, `tickets: search`."""
    if tool.startswith(_OURS):
        own = tool.removeprefix(_OURS)
        return _OUR_NAMES.get(own, own.replace("_", " "))
    server, parting, name = tool.removeprefix("mcp__").partition("__")
    return f"{server}: {name}" if tool.startswith("mcp__") and parting else tool


def shown_detail(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return what a tool is used on, in a few words of one line; empty if that tells nothing.

    The rest of its arguments is never told: it may hold anything.
    """
    if not tool.startswith("mcp__"):
        return _short(tool_detail(tool, arguments))
    if not tool.startswith(_OURS):
        return ""
    if isinstance(path := arguments.get("path"), str):
        return _short(PurePosixPath(path).name)
    named = [value for key in _TELLING if isinstance(value := arguments.get(key), str)]
    return _short(named[0]) if named else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
