#!/usr/bin/env python3
"""Asks people to choose, and counts: a question with several answers, with the SDK."""

import threading

from papercup_plugin import Context, Plugin, RefusedError

plugin = Plugin("poll", version="1.0.0")

USUAL = "it is such as /poll Lunch? soup | salad"
FEWEST_OPTIONS, MOST_OPTIONS = 2, 10
counting = threading.Lock()
"""Held by whoever counts, so that no vote is lost."""


@plugin.command("poll", description="Asks people to choose: /poll Lunch? soup | salad")
def poll(written: str, ctx: Context) -> str:
    """Ask, count the vote, and say how it stands."""
    question, mark, rest = written.partition("?")
    options = list(dict.fromkeys(word for each in rest.split("|") if (word := each.strip())))
    if not mark or not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS:
        raise RefusedError(USUAL)
    question = f"{question.strip()}?"
    chosen = ctx.ui.select(question, options)
    with counting:
        votes = ctx.kv.get(f"votes/{question}", {})
        if chosen is not None:
            votes[chosen] = votes.get(chosen, 0) + 1
            ctx.kv.set(f"votes/{question}", votes)
    lines = [f"{option}: {votes.get(option, 0)}" for option in options]
    return "\n".join([question, *lines])


if __name__ == "__main__":
    plugin.run()
