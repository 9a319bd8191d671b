"""A server that echoes, written with the `mcp` package; `sdk_child.py` is the same as a plugin."""

from mcp.server import MCPServer

server = MCPServer("echo", version="1.0.0")


@server.tool()
def echo(text: str) -> str:
    """Echo a text."""
    return text


server.run()
