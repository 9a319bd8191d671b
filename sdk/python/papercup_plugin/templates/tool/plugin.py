#!/usr/bin/env python3
"""Counts the words of a text: a tool for models."""

from papercup_plugin import Plugin

plugin = Plugin("plugin_name", version="0.1.0")


@plugin.tool
def count_words(text: str) -> str:
    """Count the words of a text.

    Args:
        text: What is counted.
    """
    return f"{len(text.split())} words"


if __name__ == "__main__":
    plugin.run()
