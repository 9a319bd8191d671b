#!/usr/bin/env python3
"""Tells people what other plugins shout: the second of a pair, with the SDK."""

from typing import Any

from papercup_plugin import Context, Plugin

plugin = Plugin("bus_listener", version="1.0.0")

TOPIC = "shouts"


@plugin.command("listen", description="Shows here what other plugins shout.")
def listen(ctx: Context) -> None:
    """Be called once: what is shown later goes where that was."""
    ctx.ui.notify("What is shouted is shown here.")


@plugin.bus.on(TOPIC)
def heard(payload: Any, ctx: Context) -> None:
    """Show what was shouted. Whoever shouts is another plugin: it may say anything."""
    match payload:
        case {"text": str(text)}:
            ctx.ui.notify(f"📣 {text}")
        case _:
            ctx.log.warning("something was shouted that is no text")


if __name__ == "__main__":
    plugin.run()
