#!/usr/bin/env python3
"""Keeps models from changing files that they had better leave alone: a hook, with the SDK."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any

from papercup_plugin import Context, HookResult, Plugin, block

plugin = Plugin("protected_paths", version="1.0.0")

PROTECTED = (".env", ".env.*", ".git", "node_modules", "*.pem", "id_*")
"""Names of files, and of folders with all that is in them."""


@plugin.hook("tool_call")
def guard(call: Mapping[str, Any], ctx: Context) -> HookResult:
    """Forbid it if it would change what is protected. What Bash does, it does not see."""
    match call:
        case {"tool": "Write" | "Edit", "arguments": {"file_path": str(name)}}:
            path = Path(name)
        case {"tool": "NotebookEdit", "arguments": {"notebook_path": str(name)}}:
            path = Path(name)
        case _:
            return None
    pattern = protecting(path)
    if pattern is None:
        return None
    if ctx.has_ui("notify"):
        ctx.ui.notify(f"A model was kept from changing {path.name}.", "warn")
    return block(f"{pattern} is protected; ask a person to change {path.name}")


def protecting(path: Path) -> str | None:
    """Return what protects a file, by its name or by where links lead; `None`: nothing does."""
    real = path.resolve() if path.is_absolute() else path
    for part in (*path.parts, *real.parts):
        for pattern in PROTECTED:
            if PurePath(part.lower()).match(pattern):
                return pattern
    return None


if __name__ == "__main__":
    plugin.run()
