"""A plugin that echoes, written with the SDK; `plain_child.py` and `mcp_child.py` are the same."""

from papercup_plugin import Plugin

plugin = Plugin("echo", version="1.0.0")


@plugin.tool
def echo(text: str) -> str:
    """Echo a text."""
    return text


plugin.run()
