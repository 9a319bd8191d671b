#!/usr/bin/env python3
"""Shouts, so that other plugins hear it: the first of a pair, with the SDK."""

from papercup_plugin import Context, Plugin, RefusedError

plugin = Plugin("bus_sender", version="1.0.0")

TOPIC = "shouts"
LONGEST = 200


@plugin.command("shout", description="Shouts, such as /shout dinner is ready.")
def shout(written: str, ctx: Context) -> str:
    """Tell it to whoever listens to the topic."""
    text = written.strip()
    if not 0 < len(text) <= LONGEST:
        raise RefusedError(f"what is shouted has 1 to {LONGEST} characters")
    ctx.bus.publish(TOPIC, {"text": text})
    return "That was shouted."


if __name__ == "__main__":
    plugin.run()
