#!/usr/bin/env python3
"""Keeps notes: all that a plugin can have, but for a provider of models."""

from collections.abc import Mapping
from typing import Any

from papercup_plugin import Context, HookResult, Plugin, RefusedError, modify

plugin = Plugin("plugin_name", version="0.1.0")

MOST_NOTES = 50


@plugin.tool
def remember(text: str, ctx: Context) -> str:
    """Keep a note.

    Args:
        text: What is kept.
        ctx: Reaches the host; models do not see it.
    """
    notes = ctx.kv.get("notes", [])
    if len(notes) >= MOST_NOTES:
        raise RefusedError("there are too many notes")
    ctx.kv.set("notes", [*notes, text])
    return f"That is note {len(notes) + 1}."


@plugin.command("notes", description="Shows the notes; /notes clear forgets them.")
def show_notes(written: str, ctx: Context) -> str:
    """Say which notes there are."""
    if written.strip() == "clear":
        ctx.kv.delete("notes")
    return "\n".join(f"- {note}" for note in ctx.kv.get("notes", [])) or "There are no notes."


@plugin.hook("input")
def spell_out(message: Mapping[str, Any]) -> HookResult:
    """Write out a short form before the speaker reads it."""
    text = str(message.get("text", ""))
    return modify(text=text.replace("nb:", "Remember this:")) if "nb:" in text else None


@plugin.on("turn_end")
def count_turns(_payload: Mapping[str, Any], ctx: Context) -> None:
    """Count the turns."""
    ctx.kv.set("turns", ctx.kv.get("turns", 0) + 1)


if __name__ == "__main__":
    plugin.run()
