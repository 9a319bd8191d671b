"""Folders of plugins, as authors write them."""

from pathlib import Path

STDIO = """\
[plugin]
id = "{name}"
version = "0.1.0"

[capabilities]
tools = ["greet"]

[transport]
kind = "stdio"
command = "./{name}"
"""
SEP = """\
name = "{name}"
version = "0.1.0"

[run]
command = "node"
args = ["main.mjs"]

[capabilities]
tools = true
"""


def stdio_plugin(folder: Path, name: str, more: str = "") -> Path:
    """Write a plugin of the dialect `stdio`, and return its manifest."""
    return _written(folder / "plugin.toml", STDIO.format(name=name) + more)


def sep_plugin(folder: Path, name: str, more: str = "") -> Path:
    """Write a plugin of the dialect `sep`, and return its manifest."""
    return _written(folder / "extension.toml", SEP.format(name=name) + more)


def _written(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file
