#!/usr/bin/env python3
"""Greets people: a slash command whose argument is completed."""

from papercup_plugin import Plugin

plugin = Plugin("plugin_name", version="0.1.0")

GREETINGS = {"hello": "Hello", "morning": "Good morning", "night": "Good night"}


def fitting(typed: str) -> list[tuple[str, str]]:
    """Return the greetings that begin as what is typed so far, and what each says."""
    return [(word, said) for word, said in GREETINGS.items() if word.startswith(typed)]


@plugin.command("greet", description="Greets, such as /greet morning.", complete=fitting)
def greet(written: str) -> str:
    """Say what people are told."""
    return f"{GREETINGS.get(written.strip(), GREETINGS['hello'])}!"


if __name__ == "__main__":
    plugin.run()
