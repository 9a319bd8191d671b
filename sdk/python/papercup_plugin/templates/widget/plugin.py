#!/usr/bin/env python3
"""Counts, by two buttons: a message that is edited in place."""

from papercup_plugin import Block, Context, Plugin, render

plugin = Plugin("plugin_name", version="0.1.0")


@plugin.widget("counter")
def counter(ctx: Context) -> Block:
    """Draw it."""
    return render.keyvalue({"Count": ctx.kv.get("count", 0)})


@counter.key("more", "+1")
def count_up(ctx: Context) -> None:
    """Count one more; then it is drawn anew."""
    ctx.kv.set("count", ctx.kv.get("count", 0) + 1)


@counter.key("reset", "0")
def reset(ctx: Context) -> None:
    """Begin anew."""
    ctx.kv.set("count", 0)


@plugin.command("counter", description="Shows the counter.")
def show(ctx: Context) -> None:
    """Show it."""
    counter.show(ctx)


if __name__ == "__main__":
    plugin.run()
