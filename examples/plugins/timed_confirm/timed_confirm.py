#!/usr/bin/env python3
"""Asks questions that go away by themselves: three ways to have no more patience, with the SDK."""

import asyncio
import math

from papercup_plugin import AsyncContext, Context, Plugin, RefusedError

plugin = Plugin("timed_confirm", version="1.0.0")

USUAL_SECONDS, MOST_SECONDS = 10.0, 60.0
COLOURS = ("Red", "Green", "Blue")


@plugin.command("timed", description="Asks for a yes, and waits 10 seconds; /timed 30 waits 30.")
def timed(written: str, ctx: Context) -> str:
    """Ask; a no and no answer are the same."""
    is_sure = ctx.ui.confirm("Are you sure?", timeout_seconds=seconds_in(written))
    return "You said yes." if is_sure else "You said no, or nothing."


@plugin.command("timed-select", description="Has you choose, and waits 10 seconds.")
def timed_select(written: str, ctx: Context) -> str:
    """Ask; nothing is what comes back if nobody chose."""
    colour = ctx.ui.select("Which colour?", COLOURS, timeout_seconds=seconds_in(written))
    return f"You chose {colour}." if colour else "You chose nothing in time."


@plugin.command("timed-signal", description="Asks for a yes, and tells a no from no answer.")
async def timed_signal(written: str, ctx: AsyncContext) -> str:
    """Give the question up from outside: it is taken back, and its buttons go."""
    try:
        async with asyncio.timeout(seconds_in(written)):
            is_sure = await ctx.ui.confirm("Are you sure?")
    except TimeoutError:
        return "You said nothing in time."
    return "You said yes." if is_sure else "You said no."


def seconds_in(written: str) -> float:
    """Return how long to wait, as somebody wrote it."""
    try:
        seconds = float(written or USUAL_SECONDS)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= MOST_SECONDS:
        raise RefusedError(f"behind it stand seconds, {MOST_SECONDS:.0f} at most")
    return seconds


if __name__ == "__main__":
    plugin.run()
